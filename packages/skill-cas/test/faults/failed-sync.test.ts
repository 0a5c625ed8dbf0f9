import { afterPowerLoss, everyPowerLoss, SimulatedDisk } from "@mesh/testkit/simulated-disk";
import { describe, expect, it } from "vitest";
import type { Effect, Steps } from "../../src/effects.ts";
import { PUT_ACTION_DIGEST, stageName } from "../../src/layout.ts";
import { type Publication, publish } from "../../src/publish.ts";
import { checkObject } from "../../src/read.ts";
import { ADDRESS, BYTES, diskWith } from "../simulation/put.ts";
import { NO_FAULT, runFaulty } from "./simulated-run.ts";

// Guarantee 3 and design D7: a failed sync is never repaired by syncing the same thing again.

const STAGE = stageName(ADDRESS.digest, PUT_ACTION_DIGEST);

const put = (): Steps<Publication> =>
  publish(ADDRESS, { actionDigest: PUT_ACTION_DIGEST, patience: "try", body: BYTES });

/** Runs a put in which one kind of sync fails: it reports that, and nothing else. */
function putWithFailedSync(disk: SimulatedDisk, kind: "syncFile" | "syncDirectory"): void {
  const failed = runFaulty(disk, put(), (effect) => (effect.kind === kind ? "EIO" : undefined));
  expect(failed).toMatchObject({
    kind: "failed",
    error: { code: "SYNC_FAILED", facts: { effect: kind, errnoName: "EIO" } },
  });
}

function putAgain(disk: SimulatedDisk): readonly Effect[] {
  const again = runFaulty(disk, put(), NO_FAULT);
  expect(again).toMatchObject({ kind: "returned", value: { outcome: { state: "exact" } } });
  return again.effects;
}

/** Whether the object has its bytes after every power cut that can happen now. */
function survivesEverything(disk: SimulatedDisk): boolean {
  return [...everyPowerLoss(disk)].every((loss) => {
    const bytes = afterPowerLoss(disk, loss).lookUp(ADDRESS.digest)?.bytes;
    return bytes !== undefined && Buffer.from(bytes).equals(BYTES);
  });
}

describe("a sync that failed", () => {
  it("of the stage: its inode is not adopted, its bytes are copied into a new one that is synced itself", () => {
    const disk = new SimulatedDisk();
    putWithFailedSync(disk, "syncFile");
    const poisoned = disk.lookUp(STAGE);
    expect(poisoned?.data).toBe("forgotten");
    putAgain(disk);
    expect(disk.lookUp(ADDRESS.digest)?.number).not.toBe(poisoned?.number);
    expect(survivesEverything(disk)).toBe(true);
  });

  it("of the directory: there is a new operation in it before it is synced once for both", () => {
    const disk = new SimulatedDisk();
    putWithFailedSync(disk, "syncDirectory");
    expect(disk.lookUp(ADDRESS.digest)).toBeDefined();
    expect(survivesEverything(disk)).toBe(false);
    const kinds = putAgain(disk).map(({ kind }) => kind);
    expect(kinds.indexOf("link")).toBeLessThan(kinds.indexOf("syncDirectory"));
    expect(kinds.filter((kind) => kind === "syncDirectory")).toHaveLength(1);
    expect(survivesEverything(disk)).toBe(true);
  });

  it("of an object that somebody else put here: it is never replaced, and a verification past the page cache finds it", () => {
    const disk = diskWith([ADDRESS.digest], false);
    const object = disk.lookUp(ADDRESS.digest)?.number;
    putWithFailedSync(disk, "syncFile");
    expect(disk.lookUp(ADDRESS.digest)?.number).toBe(object);
    putAgain(disk);
    expect(disk.lookUp(ADDRESS.digest)?.number).toBe(object);
    // What nobody can mend: the second sync says nothing, memory still shows the bytes, the device does not have them.
    expect(runFaulty(disk, checkObject(ADDRESS, false), NO_FAULT)).toMatchObject({ value: { state: "exact" } });
    expect(runFaulty(disk, checkObject(ADDRESS, true), NO_FAULT)).toMatchObject({ value: { state: "conflict" } });
  });
});
