import { defineProject } from "vitest/config";

export default defineProject({
  test: {
    name: "@mesh/evidence",
    include: ["test/**/*.test.ts"],
    // A process for each file would cost more than many a file: none of them leaves anything behind.
    isolate: false,
    exclude: ["test/long/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
