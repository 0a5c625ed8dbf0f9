import { defineProject } from "vitest/config";

export default defineProject({
  test: {
    name: "@mesh/llama-runtime",
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
