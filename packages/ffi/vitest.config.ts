import { defineProject } from "vitest/config";

export default defineProject({
  test: {
    name: "@mesh/ffi",
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
  },
});
