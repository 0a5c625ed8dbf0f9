import { describe, expect, it } from "vitest";
import { BODY } from "./siege.ts";
import { OPERATIONS, OTHER_FILE, replaceRootEverywhere, swapEverywhere } from "./swap.ts";
import { thingsOf } from "./things.ts";

const CHOSEN = ["a symbolic link to the right bytes", "a FIFO without a peer", "a file that others may read"];
const THINGS = [...thingsOf(BODY).filter(({ what }) => CHOSEN.includes(what)), OTHER_FILE];

describe.each(Object.entries(OPERATIONS))("%s, with a name swapped after any of its effects", (_name, operation) => {
  describe.each(["object", "stage", "lock"] as const)("at the %s", (at) => {
    it.each(THINGS)("for $what", (thing) => {
      expect(swapEverywhere(operation, at, thing)).toBeGreaterThan(10);
    });
  });
});

describe("with the root replaced after any of its effects", () => {
  it("a put that finds its own whole stage", () => {
    expect(replaceRootEverywhere(OPERATIONS["a put that finds its own whole stage"])).toBeGreaterThan(20);
  });
});
