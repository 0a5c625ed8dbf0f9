import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPinnedDirectory } from "@mesh/ffi/fs";
import { describe, expect, it } from "vitest";
import { lockName, sha256Hex } from "../../src/layout.ts";
import { runJob } from "./child.ts";
import { performJob } from "./job.ts";
import { forEachParallel, upTo } from "./parallel.ts";
import { holdFromPython, python } from "./python.ts";
import {
  BODY,
  DIGEST,
  expectAtRest,
  expectNoFalseObject,
  holdsBody,
  LEFTOVERS,
  makeRoot,
  OTHER_ACTION,
  publishJob,
  reconcileJob,
  recoverJob,
} from "./store-state.ts";

/** A file with BODY for the other side to publish. */
function bodyFile(): string {
  const path = join(makeRoot(), "body");
  writeFileSync(path, BODY);
  return path;
}

describe("a second implementation, in Python", () => {
  it("reads what this one wrote, and refuses what this one refuses", () => {
    const root = makeRoot();
    expect(python(["read", root, DIGEST])).toEqual({ state: "absent" });
    performJob(publishJob(root));
    expect(python(["read", root, DIGEST])).toEqual({ state: "exact", text: BODY });
    const wrong = sha256Hex("something else");
    writeFileSync(join(root, wrong), BODY, { mode: 0o600 });
    expect(python(["read", root, wrong])).toMatchObject({ state: "conflict" });
  });

  it("writes what this one reads as its own", () => {
    const root = makeRoot();
    expect(python(["publish", root, OTHER_ACTION, bodyFile()])).toEqual({ state: "exact" });
    expectAtRest(root);
    expect(performJob(reconcileJob(root)).attempts).toEqual([{ state: "exact" }]);
    const again = performJob(publishJob(root));
    expect(again.attempts).toEqual([{ state: "exact" }]);
    expect(again.changing.map(({ kind }) => kind)).not.toContain("create");
  });

  it.each(Object.entries(LEFTOVERS))("ends as this one does where %s was left", (_, leave) => {
    const [ours, theirs] = [makeRoot(), makeRoot()];
    for (const root of [ours, theirs]) leave(root);
    const [found] = performJob(recoverJob(ours)).attempts;
    expect(python(["recover", theirs, DIGEST])).toEqual(found);
    for (const root of [ours, theirs]) expectAtRest(root, found?.state === "exact" ? undefined : []);
  });

  it("recovers what this one left when it was killed, at any effect", async () => {
    const { changing } = performJob(publishJob(makeRoot()));
    await forEachParallel(upTo(changing.length), async (killAfter) => {
      const root = makeRoot();
      expect(await runJob(publishJob(root, { killAfter }))).toEqual({ kind: "killed" });
      const state = holdsBody(root) ? "exact" : "absent";
      expect(python(["recover", root, DIGEST]), `effect ${killAfter}`).toEqual({ state });
      expectAtRest(root, state === "exact" ? undefined : []);
    });
  });

  it("is recovered by this one when it was killed, at any change", () => {
    const file = bodyFile();
    for (let killAfter = 1; ; killAfter += 1) {
      const root = makeRoot();
      const answer = python(["publish", root, OTHER_ACTION, file], killAfter);
      if (answer !== undefined) {
        expect(answer).toEqual({ state: "exact" });
        expect(killAfter).toBeGreaterThan(8);
        break;
      }
      const state = holdsBody(root) ? "exact" : "absent";
      expectNoFalseObject(root);
      expect(performJob(reconcileJob(root)).attempts, `change ${killAfter}`).toEqual([{ state }]);
      expectAtRest(root, state === "exact" ? undefined : []);
    }
  });

  it("keeps this one out while it holds a content, and is kept out", async () => {
    const root = makeRoot();
    const release = await holdFromPython(root, DIGEST);
    using directory = openPinnedDirectory(root);
    using lock = directory.openOrCreateLock(lockName(DIGEST));
    expect(lock.tryLock()).toBe(false);
    await release();
    expect(lock.tryLock()).toBe(true);
    expect(python(["try", root, DIGEST])).toEqual({ state: "busy" });
    lock.unlock();
    expect(python(["try", root, DIGEST])).toEqual({ state: "free" });
  });
});
