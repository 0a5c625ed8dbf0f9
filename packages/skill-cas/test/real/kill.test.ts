import { describe, expect, it } from "vitest";
import { finishJob, runJob, withUmask } from "./child.ts";
import { performJob } from "./job.ts";
import { forEachParallel, upTo } from "./parallel.ts";
import { expectAtRest, expectNoFalseObject, makeRoot, publishJob, reconcileJob } from "./store-state.ts";

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

describe("under a umask that takes the owner's own bits", () => {
  it("a kill between making a file and setting its mode blocks nothing", async () => {
    const umasks = ["0777", "0277", "0177", "0077", "0"];
    await forEachParallel(umasks, async (umask) => {
      const whole = await finishJob(publishJob(makeRoot()), withUmask(umask));
      expect(whole.attempts, umask).toEqual([{ state: "exact" }]);
      const made = whole.changing.flatMap(({ kind }, index) => (/^create/.test(kind) ? [index + 1] : []));
      expect(made.length).toBe(2);
      for (const killAfter of made) {
        const root = makeRoot();
        expect(await runJob(publishJob(root, { killAfter }), withUmask(umask))).toEqual({ kind: "killed" });
        expect((await finishJob(publishJob(root), withUmask(umask))).attempts, umask).toEqual([{ state: "exact" }]);
        expectAtRest(root);
      }
    });
  });
});
