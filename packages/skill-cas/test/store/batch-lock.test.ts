import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPinnedDirectory, type PinnedDirectory } from "@mesh/ffi/fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { lockName, sha256Hex } from "../../src/layout.ts";
import { openSkillStore } from "../../src/store/store.ts";

const BODIES = ["first", "held by another", "third"].map((text) => new TextEncoder().encode(text));
const [FIRST = "", HELD = "", THIRD = ""] = BODIES.map((body) => sha256Hex(body));

/** Whether nobody holds the lock of a content that is there. */
function isFree(directory: PinnedDirectory, digest: string): boolean {
  if (!existsSync(join(directory.path, digest))) return false;
  using lock = directory.openOrCreateLock(lockName(digest));
  return lock.tryLock();
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

describe("putMany, while another holds the lock of one of its contents", () => {
  it("stores the others and lets go of their locks, waits for that one alone, and keeps the order", async () => {
    const base = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-batch-lock-"));
    const store = await openSkillStore({ root: join(base, "skills"), create: true });
    const directory = openPinnedDirectory(join(base, "skills"));
    const held = directory.openOrCreateLock(lockName(HELD));
    onTestFinished(async () => {
      directory.close();
      await store.close();
      rmSync(base, { recursive: true, force: true });
    });
    expect(held.tryLock()).toBe(true);
    const results = collect(store.putMany(BODIES));
    await vi.waitFor(
      () => {
        expect([FIRST, THIRD].map((digest) => isFree(directory, digest))).toEqual([true, true]);
      },
      { timeout: 30_000, interval: 20 },
    );
    expect(directory.stat(HELD)).toBeUndefined();
    held.close();
    expect(await results).toEqual([FIRST, HELD, THIRD].map((digest) => ({ digest, status: "created" })));
  });
});
