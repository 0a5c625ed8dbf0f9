import { describe, expect, it } from "vitest";
import { BEGINNINGS, interfereEverywhere } from "./interfere-everywhere.ts";

// Guarantee 1, an actor that ignores the locks: everything he can do at every name, between any two effects.

describe.each(["put", "sweep", "quarantine"] as const)("somebody who ignores the locks during a %s", (kind) => {
  it.each(Object.entries(BEGINNINGS))("of %s causes no false exact and loses nothing of his", (_name, prepare) => {
    expect(interfereEverywhere(kind, prepare)).toBeGreaterThan(100);
  });
});
