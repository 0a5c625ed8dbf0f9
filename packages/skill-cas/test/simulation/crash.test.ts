import { SimulatedDisk } from "@mesh/testkit/simulated-disk";
import { describe, expect, it } from "vitest";
import type { Address } from "../../src/address.ts";
import type { Effect, Steps } from "../../src/effects.ts";
import { PUT_ACTION_DIGEST, sha256Hex, stageName } from "../../src/layout.ts";
import { publish } from "../../src/publish.ts";
import type { Outcome } from "../../src/seal.ts";
import { type Exploration, type ExploreOptions, explore } from "./explore.ts";
import { OWNER, SIMULATED_STORE } from "./interpreter.ts";

// Guarantee 1: any crash. Every state is visited, so there is no seed; a broken promise prints the way to it.

const BYTES = new Uint8Array([0x61, 0x62, 0x63]);
const ADDRESS: Address = { store: SIMULATED_STORE, digest: sha256Hex(BYTES), size: BYTES.length };
const OTHER_ACTION = sha256Hex("another action");
const LONG = process.env["MESH_LONG"] === "1";

function* put(): Steps<Outcome> {
  const { outcome } = yield* publish(ADDRESS, { actionDigest: PUT_ACTION_DIGEST, patience: "wait", body: BYTES });
  return outcome;
}

function exploreFrom(options: Partial<ExploreOptions>): Exploration {
  return explore({
    address: ADDRESS,
    bytes: BYTES,
    actionDigest: PUT_ACTION_DIGEST,
    first: put,
    initial: new SimulatedDisk(),
    umask: 0o022,
    interruptionsMax: LONG ? 3 : 2,
    powerCutsMax: LONG ? 2 : 1,
    syncsFail: false,
    ...options,
  });
}

function diskWith(names: readonly string[], durable: boolean): SimulatedDisk {
  const disk = new SimulatedDisk();
  for (const name of names) {
    disk.place(name, { kind: "regular", owner: OWNER, mode: 0o600, bytes: BYTES, durable });
  }
  return disk;
}

/** What crashes of other versions, other actions and other implementations can leave. */
const BEGINNINGS: readonly [string, () => SimulatedDisk][] = [
  ["an empty store", () => new SimulatedDisk()],
  ["an object that nobody synced", () => diskWith([ADDRESS.digest], false)],
  [
    "whole stages of two other actions",
    () => diskWith([stageName(ADDRESS.digest, OTHER_ACTION), stageName(ADDRESS.digest, sha256Hex("third"))], true),
  ],
  ["an own stage that nobody synced", () => diskWith([stageName(ADDRESS.digest, PUT_ACTION_DIGEST)], false)],
  [
    "a foreign stage linked to the object",
    () => {
      const disk = diskWith([stageName(ADDRESS.digest, OTHER_ACTION)], true);
      const stage = disk.lookUp(stageName(ADDRESS.digest, OTHER_ACTION));
      if (stage !== undefined) disk.addName(ADDRESS.digest, stage);
      return disk;
    },
  ],
];

describe("no crash, power cut or failed sync breaks a promise", () => {
  it.each(BEGINNINGS)("of a put that begins with %s", (name, begin) => {
    const foreignObject = name === "an object that nobody synced";
    const { broken, states } = exploreFrom({ initial: begin(), syncsFail: true, foreignObject });
    expect(broken).toBeUndefined();
    expect(states).toBeGreaterThan(10);
  });

  it.each([0o777, 0o277, 0o177, 0o077, 0])("of a put under umask %o", (umask) => {
    const { broken } = exploreFrom({ umask, interruptionsMax: 1 });
    expect(broken).toBeUndefined();
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
