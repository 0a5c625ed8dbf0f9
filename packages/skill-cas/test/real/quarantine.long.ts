import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { QUARANTINE_NAME } from "../../src/layout.ts";
import { finishJob, runJob } from "./child.ts";
import { performJob } from "./job.ts";
import { forEachParallel, upTo } from "./parallel.ts";
import { DIGEST, FOREIGN, makeRoot, placeForeign, publishJob, quarantineJob } from "./store-state.ts";

/** A root in which the name of the object leads to other bytes. */
function makeConflict(): string {
  const root = makeRoot();
  placeForeign(root);
  return root;
}

/** Everything in the quarantine folder: names and texts. */
function quarantined(root: string): (readonly [string, string])[] {
  const folder = join(root, QUARANTINE_NAME);
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined
    ? []
    : readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
}

describe("a quarantine that is killed after any of its effects", () => {
  it("loses neither the entry nor the record, and asking again finishes it", async () => {
    const whole = await finishJob(quarantineJob(makeConflict()));
    expect(whole.attempts).toEqual([{ state: "quarantined" }]);
    await forEachParallel(upTo(whole.changing.length), async (killAfter) => {
      const root = makeConflict();
      expect(await runJob(quarantineJob(root, { killAfter })), `effect ${killAfter}`).toEqual({ kind: "killed" });
      const stays = lstatSync(join(root, DIGEST), { throwIfNoEntry: false }) !== undefined;
      if (stays) expect(readFileSync(join(root, DIGEST), "utf8")).toBe(FOREIGN);
      const [again] = performJob(quarantineJob(root, { tag: "00000002" })).attempts;
      if (stays) expect(again, `effect ${killAfter}`).toEqual({ state: "quarantined" });
      else expect(again).toMatchObject({ state: "failed", code: "NOTHING_TO_QUARANTINE" });
      const kept = quarantined(root);
      expect(kept.some(([, text]) => text === FOREIGN)).toBe(true);
      const records = kept.filter(([name]) => name.endsWith(".json")).map(([, text]) => text);
      expect(records.some((text) => text.includes(DIGEST) && text.includes("a test found it"))).toBe(true);
      expect(performJob(publishJob(root)).attempts).toEqual([{ state: "exact" }]);
    });
  });

  it("touches nothing where all is well", () => {
    const root = makeRoot();
    performJob(publishJob(root));
    expect(performJob(quarantineJob(root)).attempts).toMatchObject([{ code: "NOTHING_TO_QUARANTINE" }]);
    expect(quarantined(root)).toEqual([]);
    expect(performJob(publishJob(root)).attempts).toEqual([{ state: "exact" }]);
  });
});
