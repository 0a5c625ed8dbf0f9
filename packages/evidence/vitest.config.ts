import { defineProject } from "vitest/config";

export default defineProject({
  test: {
    name: "@mesh/evidence",
    include: ["test/**/*.test.ts"],
    exclude: ["test/long/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
