import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LAWFUL_STORIES, LAWLESS_STORIES, play, type Story } from "./moves.ts";
import { sampling } from "./sampling.ts";

// Guarantee 1, sampled: several contents, actions and actors, arbitrary bytes, deaths, failing effects, power cuts.

const RUNS = 300;

describe("any run of several actors", () => {
  it("who keep to the locks breaks no promise", () => {
    fc.assert(
      fc.property(LAWFUL_STORIES, (story) => {
        play(story, false);
      }),
      sampling(RUNS),
    );
  });

  it("and of somebody who ignores the locks: no false exact, nothing of his is overwritten or removed", () => {
    fc.assert(
      fc.property(LAWLESS_STORIES, (story) => {
        play(story, true);
      }),
      sampling(RUNS),
    );
  });

  it("prints the seed and the path with which it is played again", () => {
    const failing = (parameters: fc.Parameters<[Story]>): fc.RunDetails<[Story]> =>
      fc.check(
        fc.property(LAWFUL_STORIES, ({ moves }) => moves.length < 5),
        parameters,
      );
    const first = failing({});
    const again = failing({ seed: first.seed, path: first.counterexamplePath ?? "" });
    expect(again.counterexample).toEqual(first.counterexample);
    expect(again.numShrinks).toBe(0);
  });
});
