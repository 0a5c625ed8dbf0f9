import { expect, it } from "vitest";
import { BEGINNINGS, exploreFrom } from "./put.ts";

// Guarantee 1 with one more interruption and a second power cut on every way.

it.each(BEGINNINGS)(
  "no crash, power cut or failed sync breaks a promise of a put that begins with %s",
  (name, begin) => {
    const foreignObject = name === "an object that nobody synced";
    const { broken } = exploreFrom({
      initial: begin(),
      // A failed sync of an object that is never replaced is the one that nothing can mend (crash.test.ts shows it).
      syncsFail: !foreignObject,
      foreignObject,
      interruptionsMax: 3,
      powerCutsMax: 2,
    });
    expect(broken).toBeUndefined();
  },
);
