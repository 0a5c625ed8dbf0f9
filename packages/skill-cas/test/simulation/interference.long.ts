import { describe, expect, it } from "vitest";
import { BEGINNINGS, interfereEverywhere } from "./interfere-everywhere.ts";
import { JOB_KINDS } from "./jobs.ts";

// Guarantee 1, an actor that ignores the locks: everything he can do at every name, between any two effects.

describe.each(JOB_KINDS)("somebody who ignores the locks during a %s", (kind) => {
  it.each(Object.entries(BEGINNINGS))("of %s causes no false exact and loses nothing of his", (_name, prepare) => {
    expect(interfereEverywhere(kind, prepare)).toBeGreaterThan(100);
  });
});
