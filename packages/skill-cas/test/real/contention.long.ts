import fc from "fast-check";
import { describe, it } from "vitest";
import { publishAtOnce } from "./contention.ts";

const RUNS = 8;
/** One publication is about eight changing effects, and each process does nine. */
const EFFECTS_MAX = 72;

describe("processes that publish the same and different contents at once", () => {
  it.each([2, 8])("%i of them, some being killed anywhere", async (count) => {
    const kills = fc.array(fc.option(fc.integer({ min: 1, max: EFFECTS_MAX }), { nil: undefined }), {
      minLength: count,
      maxLength: count,
    });
    await fc.assert(fc.asyncProperty(kills, publishAtOnce), { numRuns: RUNS, endOnFailure: true });
  });
});
