import { defineProject } from "vitest/config";

/** Needs strace on the machine; `.ci/run` brings it. */
export default defineProject({
  test: {
    name: "@mesh/evidence long",
    include: ["test/long/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
