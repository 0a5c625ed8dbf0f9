import { describe, expect, it } from "vitest";
import type { Effect } from "../../src/effects.ts";
import type { ExploreOptions } from "./explore.ts";
import { ADDRESS, BEGINNINGS, diskWith, exploreFrom, install } from "./put.ts";

// Guarantee 1: any crash. Every state is visited, so there is no seed; a broken promise prints the way to it.

describe("no crash, power cut or failed sync breaks a promise", () => {
  it.each(BEGINNINGS)("of a put that begins with %s", (name, begin) => {
    const foreignObject = name === "an object that nobody synced";
    // An object that stands at its name is never replaced, so a failed sync of it is the one that nothing can mend: below.
    const { broken, states } = exploreFrom({ initial: begin(), syncsFail: !foreignObject, foreignObject });
    expect(broken).toBeUndefined();
    expect(states).toBeGreaterThan(10);
  });

  it.each(BEGINNINGS)("of an install that begins with %s", (name, begin) => {
    const foreignObject = name === "an object that nobody synced";
    const { broken } = exploreFrom({ first: install, initial: begin(), syncsFail: !foreignObject, foreignObject });
    expect(broken).toBeUndefined();
  });

  it.each([0o777, 0o277, 0o177, 0o077, 0])("of a put under umask %o", (umask) => {
    const { broken } = exploreFrom({ umask, interruptionsMax: 1 });
    expect(broken).toBeUndefined();
  });
});

describe("what cannot be promised", () => {
  it("an object that somebody else put here without a sync, and whose sync then failed, may go with the power", () => {
    const initial = diskWith([ADDRESS.digest], false);
    const { broken } = exploreFrom({ initial, syncsFail: true, foreignObject: true });
    expect(broken?.path).toEqual(expect.arrayContaining([expect.stringContaining("fails sync"), "returned exact"]));
    expect(broken?.promise).toContain("wrong-size");
  });
});

describe("every sync that is left is needed: without it a promise breaks", () => {
  const isStage = (name: string): boolean => name.startsWith(".ctx-skill-");
  const happened = (kind: Effect["kind"], before: readonly Effect[]): boolean =>
    before.some((effect) => effect.kind === kind);
  const cases: readonly [string, Partial<ExploreOptions>][] = [
    [
      "the stage's file sync before the link",
      { leaveOut: (effect) => effect.kind === "syncFile" && isStage(effect.name) },
    ],
    [
      "the directory sync after the link",
      {
        leaveOut: (effect, before) =>
          effect.kind === "syncDirectory" && happened("link", before) && happened("create", before),
      },
    ],
    [
      "the file sync of an object that was found",
      {
        initial: diskWith([ADDRESS.digest], false),
        foreignObject: true,
        leaveOut: (effect) => effect.kind === "syncFile" && effect.name === ADDRESS.digest,
      },
    ],
    [
      "the directory sync of an object that was found",
      {
        initial: diskWith([ADDRESS.digest], false),
        foreignObject: true,
        leaveOut: (effect, before) => effect.kind === "syncDirectory" && !happened("link", before),
      },
    ],
    [
      "the directory sync before an alias of the object is removed",
      {
        leaveOut: (effect, before) =>
          effect.kind === "syncDirectory" &&
          before.some((earlier) => earlier.kind === "link" && earlier.source === ADDRESS.digest),
      },
    ],
    [
      "the new directory operation after a directory sync that may have failed",
      {
        syncsFail: true,
        leaveOut: (effect) => effect.kind === "link" && effect.source === ADDRESS.digest,
      },
    ],
  ];

  it.each(cases)("%s", (_name, options) => {
    expect(exploreFrom(options).broken?.promise).toMatch(/lost|at risk|conflict|false exact/);
  });
});
