import { defineProject } from "vitest/config";

export default defineProject({
  test: {
    name: "@mesh/skill-cas",
    include: ["test/**/*.test.ts"],
    // A process for each file would cost more than many a file: none of them leaves anything behind.
    isolate: false,
    // What only root can do (mounting) is no part of the run that shows what others get.
    exclude: process.env["MESH_NOT_AS_ROOT"] === "1" ? ["test/**/as-root/**"] : [],
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
