import { defineProject } from "vitest/config";

/** The exhaustive runs, too long for every change: `*.long.ts` beside the ordinary tests. */
export default defineProject({
  test: {
    name: "@mesh/skill-cas long",
    include: ["test/**/*.long.ts"],
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
  },
});
