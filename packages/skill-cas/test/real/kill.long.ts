import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/layout.ts";
import { openSkillStoreSync } from "../../src/store/store-sync.ts";
import { finishJob, runJob } from "./child.ts";
import { type Job, performJob } from "./job.ts";
import { forEachParallel, upTo } from "./parallel.ts";
import {
  BODY,
  expectAtRest,
  expectNoFalseObject,
  holdsBody,
  LEFTOVERS,
  makeRoot,
  publishJob,
  putManyJob,
  reconcileJob,
  recoverJob,
  rootIdJob,
  SECOND_BODY,
  sweepJob,
} from "./store-state.ts";

type MakeJob = (root: string, more?: Partial<Job>) => Job;
const OPERATIONS: Readonly<Record<string, MakeJob>> = {
  publish: publishJob,
  reconcile: reconcileJob,
  recover: recoverJob,
  sweep: sweepJob,
};
const CASES = Object.keys(LEFTOVERS).flatMap((left) => Object.keys(OPERATIONS).map((name) => [name, left] as const));

describe("killed after every effect", () => {
  it.each(CASES)("by %s, where %s was left: nothing is lost and the next one finishes", async (name, left) => {
    const jobOf = OPERATIONS[name] ?? publishJob;
    const leave = LEFTOVERS[left] ?? (() => undefined);
    const before = makeRoot();
    leave(before);
    const whole = await finishJob(jobOf(before));
    await forEachParallel(upTo(whole.changing.length), async (killAfter) => {
      const root = makeRoot();
      leave(root);
      const held = holdsBody(root);
      expect(await runJob(jobOf(root, { killAfter })), `effect ${killAfter}`).toEqual({ kind: "killed" });
      expectRecovers(root, held);
    });
    expectRecovers(before, holdsBody(before));
  });
});

describe("killed after every effect", () => {
  it("by a put of several contents: a fresh handle stores what is missing", async () => {
    const whole = await finishJob(putManyJob(makeRoot()));
    expect(whole.attempts).toEqual([{ state: "exact" }, { state: "exact" }]);
    await forEachParallel(upTo(whole.changing.length), async (killAfter) => {
      const root = makeRoot();
      expect(await runJob(putManyJob(root, { killAfter })), `effect ${killAfter}`).toEqual({ kind: "killed" });
      expectNoFalseObject(root);
      expect(performJob(putManyJob(root)).attempts, `effect ${killAfter}`).toEqual([
        { state: "exact" },
        { state: "exact" },
      ]);
      expectAtRest(root, [BODY, SECOND_BODY].map(sha256Hex));
    });
  });

  it("by the first opening of a root: it opens, and keeps one id", async () => {
    const whole = await finishJob(rootIdJob(makeRoot()));
    await forEachParallel(upTo(whole.changing.length), async (killAfter) => {
      const root = makeRoot();
      expect(await runJob(rootIdJob(root, { killAfter })), `effect ${killAfter}`).toEqual({ kind: "killed" });
      const ids = [1, 2].map(() => {
        using store = openSkillStoreSync({ root });
        return store.facts.rootId;
      });
      expect(ids[0]).toBe(ids[1]);
      expect(readdirSync(root).filter((name) => name.endsWith(".pending"))).toEqual([]);
    });
  });
});

describe("killed again while it recovers", () => {
  it("a publication converges from every pair of crash points", async () => {
    const first = await finishJob(publishJob(makeRoot()));
    await forEachParallel(upTo(first.changing.length), async (killAfter) => {
      for (let second = 1; ; second += 1) {
        const root = makeRoot();
        expect(await runJob(publishJob(root, { killAfter }))).toEqual({ kind: "killed" });
        const held = holdsBody(root);
        const ended = await runJob(publishJob(root, { killAfter: second }));
        expectRecovers(root, held);
        if (ended.kind === "finished") break;
        expect(ended, `effects ${killAfter} and ${second}`).toEqual({ kind: "killed" });
      }
    });
  });
});

/** What was whole on the disk comes back by looking alone; what was not is absent and can be published. */
function expectRecovers(root: string, held: boolean): void {
  expectNoFalseObject(root);
  const [found] = performJob(recoverJob(root)).attempts;
  if (held) expect(found).toEqual({ state: "exact" });
  expect(["exact", "absent"]).toContain(found?.state);
  expectAtRest(root, found?.state === "exact" ? undefined : []);
  expect(performJob(publishJob(root)).attempts).toEqual([{ state: "exact" }]);
  expectAtRest(root);
  expect(performJob(reconcileJob(root)).changing.map(({ kind }) => kind)).not.toContain("unlink");
}
