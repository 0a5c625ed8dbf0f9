import { execFileSync, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { performJob } from "../job.ts";
import { sha256Hex } from "../../../src/layout.ts";
import { fingerprint } from "../../store/fingerprint.ts";
import {
  BODY,
  DIGEST,
  expectAtRest,
  expectNoFalseObject,
  makeRoot,
  placeForeign,
  publishJob,
  putManyJob,
  quarantineJob,
  SECOND_BODY,
} from "../store-state.ts";

/** Mounts a tmpfs as a root, or reports that this machine does not allow it. */
function mountRoot(context: TestContext, options: string): string {
  const root = makeRoot();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `mode=0700,${options}`, "tmpfs", root], {
    encoding: "utf8",
  });
  if (mounted.status !== 0) context.skip(`blocked: mount of a tmpfs (${mounted.stderr.trim()})`);
  onTestFinished(() => {
    execFileSync("umount", [root]);
  });
  return root;
}

describe("a disk that is full", () => {
  it("fails the publication with ENOSPC at the write, and nothing is half done once there is room", (context) => {
    const root = mountRoot(context, "size=64k");
    fillDisk(join(root, "ballast"));
    expect(performJob(publishJob(root)).attempts).toMatchObject([
      { state: "failed", code: "EFFECT_FAILED", facts: { errnoName: "ENOSPC", syscall: "pwrite", effect: "write" } },
    ]);
    expectNoFalseObject(root);
    rmSync(join(root, "ballast"));
    expect(performJob(publishJob(root)).attempts).toEqual([{ state: "exact" }]);
    expectAtRest(root);
  });

  it("fails a quarantine with ENOSPC before anything is moved, and it is done once there is room", (context) => {
    const root = mountRoot(context, "size=64k");
    placeForeign(root);
    fillDisk(join(root, "ballast"));
    const before = fingerprint(join(root, DIGEST));
    expect(performJob(quarantineJob(root)).attempts).toMatchObject([
      { state: "failed", code: "EFFECT_FAILED", facts: { errnoName: "ENOSPC" } },
    ]);
    expect(fingerprint(join(root, DIGEST))).toEqual(before);
    rmSync(join(root, "ballast"));
    expect(performJob(quarantineJob(root, { tag: "00000002" })).attempts).toEqual([{ state: "quarantined" }]);
    expect(performJob(publishJob(root)).attempts).toEqual([{ state: "exact" }]);
  });

  it("fails each content of a batch with ENOSPC, and the batch is stored once there is room", (context) => {
    const root = mountRoot(context, "size=64k");
    fillDisk(join(root, "ballast"));
    const failed = { state: "failed", code: "EFFECT_FAILED", facts: { errnoName: "ENOSPC", effect: "write" } };
    expect(performJob(putManyJob(root)).attempts).toMatchObject([failed, failed]);
    rmSync(join(root, "ballast"));
    expect(performJob(putManyJob(root)).attempts).toEqual([{ state: "exact" }, { state: "exact" }]);
    expectAtRest(root, [BODY, SECOND_BODY].map(sha256Hex));
  });

  it("that has no inode left fails it with ENOSPC at every new name, until there are enough", (context) => {
    const root = mountRoot(context, "nr_inodes=6");
    const ballast = ["1", "2", "3", "4", "5"].map((name) => join(root, name));
    for (const path of ballast) writeFileSync(path, "");
    // A tmpfs counts a second link as one more inode: the lock, the stage and the link fail, each when its turn comes.
    for (const effect of ["createLock", "create", "link"]) {
      expect(performJob(publishJob(root)).attempts, effect).toMatchObject([
        { state: "failed", code: "EFFECT_FAILED", facts: { errnoName: "ENOSPC", effect } },
      ]);
      expectNoFalseObject(root);
      rmSync(ballast.pop() ?? "");
    }
    for (const path of ballast) rmSync(path);
    expect(performJob(publishJob(root)).attempts).toEqual([{ state: "exact" }]);
    expectAtRest(root);
  });
});

function fillDisk(path: string): void {
  let size = 0;
  for (;;) {
    try {
      writeFileSync(path, Buffer.alloc(4096, 1), { flag: "a" });
      size += 4096;
    } catch (error) {
      expect(error).toHaveProperty("code", "ENOSPC");
      expect(size).toBeGreaterThan(0);
      return;
    }
  }
}
