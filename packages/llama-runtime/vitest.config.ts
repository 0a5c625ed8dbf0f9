import { defineProject } from "vitest/config";

export default defineProject({
  test: {
    name: "@mesh/llama-runtime",
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
  },
});
