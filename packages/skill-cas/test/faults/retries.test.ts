import { SimulatedDisk } from "@mesh/testkit/simulated-disk";
import { describe, expect, it } from "vitest";
import type { Effect } from "../../src/effects.ts";
import { parseEntryName, PUT_ACTION_DIGEST, stageName } from "../../src/layout.ts";
import { publish, reconcile } from "../../src/publish.ts";
import { ADDRESS, BYTES, diskWith } from "../simulation/put.ts";
import { NO_FAULT, runFaulty } from "./simulated-run.ts";

const OWN_STAGE = stageName(ADDRESS.digest, PUT_ACTION_DIGEST);

function put(disk: SimulatedDisk, fails: (effect: Effect) => boolean): string {
  const steps = publish(ADDRESS, { actionDigest: PUT_ACTION_DIGEST, patience: "try", body: BYTES });
  const attempted = runFaulty(disk, steps, (effect) => (fails(effect) ? "EIO" : undefined));
  return attempted.kind === "failed" ? attempted.error.code : attempted.value.outcome.state;
}

function stages(disk: SimulatedDisk): string[] {
  return [...disk.names.keys()].filter((name) => parseEntryName(name).kind === "stage");
}

/** A put that was killed between linking its object and removing its stage. */
function linked(): SimulatedDisk {
  const disk = diskWith([OWN_STAGE], true);
  const stage = disk.lookUp(OWN_STAGE);
  if (stage !== undefined) disk.addName(ADDRESS.digest, stage);
  return disk;
}

const LASTING: readonly [string, () => SimulatedDisk, (effect: Effect) => boolean][] = [
  ["the link to the object fails", () => diskWith([OWN_STAGE], true), ({ kind }) => kind === "link"],
  ["the sync of the copy fails", () => diskWith([OWN_STAGE], true), ({ kind }) => kind === "syncFile"],
  ["writing the copy fails", () => diskWith([OWN_STAGE], true), ({ kind }) => kind === "write"],
  ["setting the copy's mode fails", () => diskWith([OWN_STAGE], true), ({ kind }) => kind === "setMode"],
  ["the sync of the directory fails beside an object", linked, ({ kind }) => kind === "syncDirectory"],
  ["a first put cannot link", () => new SimulatedDisk(), ({ kind }) => kind === "link"],
];

describe("a failure that stays does not fill the store, however often it is tried again", () => {
  it.each(LASTING)("%s", (_name, begin, fails) => {
    const disk = begin();
    const codes = new Set(Array.from({ length: 100 }, () => put(disk, fails)));
    expect([...codes].every((code) => code === "EFFECT_FAILED" || code === "SYNC_FAILED")).toBe(true);
    // What the first put wrote, or what was there; nothing of the hundred copies.
    expect(stages(disk)).toEqual([OWN_STAGE]);
    const fresh = runFaulty(disk, reconcile(ADDRESS, PUT_ACTION_DIGEST, "try"), NO_FAULT);
    expect(fresh).toMatchObject({ kind: "returned", value: { state: "exact" } });
    expect(stages(disk)).toEqual([]);
  });

  it("and where the copies cannot be removed either, it stops at the 64 that recovery can account for", () => {
    const disk = diskWith([OWN_STAGE], true);
    for (let time = 0; time < 100; time += 1) put(disk, ({ kind }) => kind === "link" || kind === "unlink");
    expect(stages(disk).length).toBeLessThanOrEqual(64);
    const fresh = runFaulty(disk, reconcile(ADDRESS, PUT_ACTION_DIGEST, "try"), NO_FAULT);
    expect(fresh).toMatchObject({ kind: "returned", value: { state: "exact" } });
  });
});
