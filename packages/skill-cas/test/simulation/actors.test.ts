import { afterPowerLoss, everyPowerLoss, SimulatedDisk } from "@mesh/testkit/simulated-disk";
import { describe, expect, it } from "vitest";
import { lockName } from "../../src/layout.ts";
import { fingerprint } from "./fingerprint.ts";
import { type Content, contentOf, type Job, type JobKind } from "./jobs.ts";
import { spoil } from "./interference.ts";
import { World } from "./world.ts";

// Guarantee 1, cooperating actors: every pair of jobs, every way to run i effects of one, j of the other, then the rest;
// and a power cut at every such point, with everything that it may leave.

const FIRST = contentOf(new Uint8Array([0x61, 0x62, 0x63]));
const SECOND = contentOf(new Uint8Array([0]));

const job = (kind: JobKind, content = 0, action = 0): Job => ({ kind, content, action, patience: "wait" });

interface Pair {
  readonly left: Job;
  readonly right: Job;
  readonly contents: readonly Content[];
  readonly begin: () => World;
}

function pair(
  left: Job,
  right: Job,
  contents: readonly Content[] = [FIRST],
  prepare: (world: World) => void = () => undefined,
): Pair {
  const begin = (): World => {
    const world = new World({ contents, disk: new SimulatedDisk() });
    prepare(world);
    return world;
  };
  return { left, right, contents, begin };
}

/** A put of another action, killed right before it links. */
function staged(world: World): void {
  const actor = world.start(job("put", 0, 1));
  while (actor.next !== undefined && actor.next.kind !== "link") world.step(actor);
  world.kill(actor);
}

/** The same, killed right after the link. */
function linked(world: World): void {
  const actor = world.start(job("put", 0, 1));
  while (actor.next !== undefined && actor.next.kind !== "unlink") world.step(actor);
  world.kill(actor);
}

function stored(world: World): void {
  world.start(job("put"));
  world.finish();
  staged(world);
}

/** Another action's leftover beside the finished object. */
function storedBesideStage(world: World): void {
  staged(world);
  world.start(job("put"));
  world.finish();
}

const PAIRS: Readonly<Record<string, Pair>> = {
  "two puts of one action": pair(job("put"), job("put")),
  "two puts of different actions": pair(job("put", 0, 0), job("put", 0, 1)),
  "two puts of different contents": pair(job("put", 0), job("put", 1), [FIRST, SECOND]),
  "a put and a sweep": pair(job("put"), job("sweep")),
  "a put and a sweep over a leftover": pair(job("put"), job("sweep"), [FIRST], staged),
  "a put and a recovery over an unfinished object": pair(job("put"), job("recover"), [FIRST], linked),
  "a put and a reader": pair(job("put"), job("read")),
  "a put and a verification": pair(job("put"), job("check")),
  "a sweep and a reader over a finished object": pair(job("sweep"), job("read"), [FIRST], storedBesideStage),
  "a sweep and a verification over a finished object": pair(job("sweep"), job("check"), [FIRST], storedBesideStage),
  "two sweeps over a leftover": pair(job("sweep"), job("sweep"), [FIRST], staged),
  "two sweeps over nothing": pair(job("sweep"), job("sweep")),
  "a driver that reconciles and a put": pair(job("reconcile", 0, 1), job("put"), [FIRST], staged),
  "an install and a put": pair(job("install", 0, 1), job("put")),
  "an install and a sweep over a leftover": pair(job("install"), job("sweep"), [FIRST], staged),
  "an install and a quarantine": pair(job("install"), job("quarantine")),
  "two batches in opposite order": pair(job("batch", 0, 0), job("batch", 0, 1), [FIRST, SECOND]),
  "a batch and a sweep": pair(job("batch"), job("sweep", 1), [FIRST, SECOND], stored),
  "a quarantine and a put": pair(job("quarantine"), job("put"), [FIRST], (world) => {
    spoil(world, FIRST);
  }),
  "two quarantines": pair(job("quarantine", 0, 0), job("quarantine", 0, 1), [FIRST], (world) => {
    spoil(world, FIRST);
  }),
};

/** How many effects a job makes when nobody is in its way. */
function lengthOf(begin: () => World, alone: Job): number {
  const world = begin();
  const actor = world.start(alone);
  world.finish();
  return actor.effects.length;
}

function explorePair({ left, right, contents, begin }: Pair): number {
  const [lefts, rights] = [lengthOf(begin, left), lengthOf(begin, right)];
  const seen = new Set<string>();
  const recovered = new Set<string>();
  for (let i = 0; i <= lefts; i += 1) {
    for (let j = 0; j <= rights; j += 1) {
      const world = begin();
      const [one, other] = [world.start(left), world.start(right)];
      for (let count = 0; count < i; count += 1) world.step(one);
      for (let count = 0; count < j; count += 1) world.step(other);
      if (isNew(seen, world)) cutPowerEverywhere(world, contents, recovered);
      world.finish();
      if (isNew(recovered, world)) world.recoverAll();
    }
  }
  return seen.size;
}

/** Two ways to the same disk and the same promises are followed once. */
function isNew(seen: Set<string>, world: World): boolean {
  const key = `${[...world.promised].sort().join()}\n${fingerprint(world.disk)}`;
  const known = seen.has(key);
  seen.add(key);
  return !known;
}

function cutPowerEverywhere(world: World, contents: readonly Content[], recovered: Set<string>): void {
  for (const loss of everyPowerLoss(world.disk)) {
    const after = new World({ contents, disk: new SimulatedDisk() });
    after.disk = afterPowerLoss(world.disk, loss);
    for (const [number, foreign] of world.foreign) after.foreign.set(number, foreign);
    for (const digest of world.promised) after.promised.add(digest);
    after.look();
    if (isNew(recovered, after)) after.recoverAll();
  }
}

describe("what cannot be promised", () => {
  it("a lock whose creator stops for long under a umask without owner bits may be removed just when he goes on", () => {
    const world = new World({ contents: [FIRST] });
    const creator = world.start(job("put"), 0o777);
    world.step(creator);
    const remover = world.start(job("put"));
    // He has waited for long, has looked once more, and is about to remove what nobody can open.
    while (remover.next?.kind !== "removeLock") world.step(remover);
    const isThere = (): boolean => world.disk.names.has(lockName(FIRST.address.digest));
    while (creator.next?.kind !== "create") world.step(creator);
    expect(isThere()).toBe(true);
    world.step(remover);
    // The creator works on, and nobody else would know: two can be at work on this content. What they make is judged anew.
    expect(isThere()).toBe(false);
  });
});

describe("three actors", () => {
  it("a put, a sweep that takes the lock file away, and another put: never two at work on one content", () => {
    const effects = lengthOf(
      PAIRS["two puts of one action"]?.begin ?? (() => new World({ contents: [FIRST] })),
      job("put"),
    );
    for (let i = 0; i <= effects; i += 1) {
      for (let j = 0; j <= effects; j += 1) {
        const world = new World({ contents: [FIRST] });
        const put = world.start(job("put"));
        for (let count = 0; count < i; count += 1) world.step(put);
        const sweep = world.start({ ...job("sweep"), patience: "try" });
        while (sweep.ending === undefined) world.step(sweep);
        for (let count = 0; count < j; count += 1) world.step(put);
        const other = world.start(job("put"));
        for (let count = 0; count < effects; count += 1) world.step(other);
        world.finish();
        world.recoverAll();
      }
    }
    expect(effects).toBeGreaterThan(15);
  });
});

describe("cooperating actors, at every point of each other", () => {
  it.each(Object.entries(PAIRS))("%s", (_name, pair) => {
    expect(explorePair(pair)).toBeGreaterThan(4);
  });
});
