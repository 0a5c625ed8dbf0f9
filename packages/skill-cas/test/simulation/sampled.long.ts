import fc from "fast-check";
import { it } from "vitest";
import { LAWFUL_STORIES, LAWLESS_STORIES, play } from "./moves.ts";
import { sampling } from "./sampling.ts";

const RUNS = 20_000;

it.each([
  ["keep to the locks", false],
  ["meet somebody who ignores the locks", true],
] as const)("no run of actors who %s breaks a promise", (_name, lawless) => {
  fc.assert(
    fc.property(lawless ? LAWLESS_STORIES : LAWFUL_STORIES, (story) => {
      play(story, lawless);
    }),
    sampling(RUNS),
  );
});
