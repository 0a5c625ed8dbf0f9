import { describe, expect, it } from "vitest";
import { BODY } from "./siege.ts";
import { OPERATIONS, replaceRootEverywhere, swapEverywhere } from "./swap.ts";
import { thingsOf } from "./things.ts";

// Guarantee 4: names swapped between any two effects. The other operations and things are in swap.long.ts.

const [SYMLINK] = thingsOf(BODY);

describe.each(["a fresh put", "a put of what is there", "a read"] as const)(
  "%s, with a name swapped after any of its effects",
  (name) => {
    it.each(["object", "stage", "lock"] as const)("for a symbolic link at the %s", (at) => {
      if (SYMLINK === undefined) throw new Error("there is no symbolic link among the things");
      expect(swapEverywhere(OPERATIONS[name], at, SYMLINK)).toBeGreaterThan(10);
    });
  },
);

describe("a put, with the root replaced after any of its effects", () => {
  it.each(["a fresh put", "a put of what is there"] as const)("%s", (name) => {
    expect(replaceRootEverywhere(OPERATIONS[name])).toBeGreaterThan(10);
  });
});
