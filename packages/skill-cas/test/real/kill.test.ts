import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { QUARANTINE_NAME } from "../../src/layout.ts";
import { finishJob, runJob, withUmask } from "./child.ts";
import { performJob } from "./job.ts";
import { forEachParallel, upTo } from "./parallel.ts";
import {
  DIGEST,
  expectAtRest,
  expectNoFalseObject,
  makeRoot,
  placeForeign,
  publishJob,
  quarantineJob,
  reconcileJob,
  rootIdJob,
} from "./store-state.ts";

describe("a publication that is killed", () => {
  it("after any of its effects is finished by the next one", async () => {
    const whole = await finishJob(publishJob(makeRoot()));
    expect(whole.attempts).toEqual([{ state: "exact" }]);
    expect(whole.changing.length).toBeGreaterThan(6);
    await forEachParallel(upTo(whole.changing.length), async (killAfter) => {
      const root = makeRoot();
      expect(await runJob(publishJob(root, { killAfter })), `effect ${killAfter}`).toEqual({ kind: "killed" });
      expectNoFalseObject(root);
      expect(performJob(publishJob(root)).attempts, `effect ${killAfter}`).toEqual([{ state: "exact" }]);
      expectAtRest(root);
      expect(performJob(reconcileJob(root)).attempts).toEqual([{ state: "exact" }]);
    });
  });
});

const UMASKS = ["0777", "0277", "0177", "0077", "0"];

describe("under a umask that takes the owner's own bits", () => {
  it("root, lock, stage, object, quarantine and record end private", async () => {
    await forEachParallel(UMASKS, async (umask) => {
      const above = join(makeRoot(), "above");
      const root = join(above, "root");
      const { attempts } = await finishJob(publishJob(root, { create: true }), withUmask(umask));
      expect(attempts, umask).toEqual([{ state: "exact" }]);
      expectAtRest(root);
      rmSync(join(root, DIGEST));
      placeForeign(root);
      expect((await finishJob(quarantineJob(root), withUmask(umask))).attempts, umask).toEqual([
        { state: "quarantined" },
      ]);
      const folder = join(root, QUARANTINE_NAME);
      for (const directory of [above, root, folder]) expect(modeOf(directory), `${umask} ${directory}`).toBe(0o700);
      for (const name of readdirSync(folder)) expect(modeOf(join(folder, name)), `${umask} ${name}`).toBe(0o600);
    });
  });

  it.each([
    ["a publication", publishJob, UMASKS],
    // The same code makes these files; two umasks show that the opening uses it.
    ["the first opening of a root", rootIdJob, ["0777", "0177"]],
  ] as const)("a kill between making a file and setting its mode blocks nothing: %s", async (_what, jobOf, umasks) => {
    await forEachParallel(umasks, async (umask) => {
      const whole = await finishJob(jobOf(makeRoot()), withUmask(umask));
      expect(whole.attempts, umask).toEqual([{ state: "exact" }]);
      const made = whole.changing.flatMap(({ kind }, index) => (/^create/.test(kind) ? [index + 1] : []));
      expect(made.length).toBe(2);
      for (const killAfter of made) {
        const root = makeRoot();
        expect(await runJob(jobOf(root, { killAfter }), withUmask(umask))).toEqual({ kind: "killed" });
        expect((await finishJob(jobOf(root), withUmask(umask))).attempts, umask).toEqual([{ state: "exact" }]);
        for (const name of readdirSync(root)) expect(modeOf(join(root, name)), `${umask} ${name}`).toBe(0o600);
        expect(readdirSync(root).filter((name) => name.endsWith(".pending"))).toEqual([]);
      }
    });
  });
});

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o7777;
}
