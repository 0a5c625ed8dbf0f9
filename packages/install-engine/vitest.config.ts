import { defineProject } from "vitest/config";

export default defineProject({
  test: {
    name: "@mesh/install-engine",
    include: ["test/**/*.test.ts"],
    // A process for each file would cost more than many a file: none of them leaves anything behind.
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
