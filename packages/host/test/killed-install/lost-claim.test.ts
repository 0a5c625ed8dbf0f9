import { chmodSync, cpSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256Hex } from "@mesh/install-engine";
import { openJournal } from "@mesh/install-engine/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { bodyOf, grantSkill, openParts } from "./bench.ts";

const CAPABILITY = "skill:restored-from-backup";

test("a journal that lost a claim is refused by a kept head; without one, the driver's look still prevents a second object", async () => {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), "lost-claim-"));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  const state = join(directory, "state");
  const backup = join(directory, "backup");
  const object = join(directory, "private", "skills", sha256Hex(bodyOf(CAPABILITY)));

  const before = await openParts(directory);
  const granted = await grantSkill(before.engine, CAPABILITY);
  await before[Symbol.asyncDispose]();
  cpSync(state, backup, { recursive: true, preserveTimestamps: true });

  const first = await openParts(directory);
  const done = await first.engine.prepareInstallExecution({ ...granted, registry: first.registry }).execute();
  expect(done).toMatchObject({ outcome: "applied", claimWasNew: true });
  const kept = await first.journal.head();
  const { ino, mtimeMs } = lstatSync(object);
  await first[Symbol.asyncDispose]();

  restore(backup, state);

  await expect(openJournal({ path: join(state, "journal.sqlite3"), expectHead: kept })).rejects.toMatchObject({
    code: "JOURNAL_HEAD_MISMATCH",
  });
  await using second = await openParts(directory);
  const again = await second.engine.prepareInstallExecution({ ...granted, registry: second.registry }).execute();
  // The claim is made a second time, since nobody can know of the first; the object is the one that was there.
  expect(again).toMatchObject({ outcome: "applied", settled: true, claimWasNew: true });
  expect(second.loads()).toBe(0);
  expect(lstatSync(object)).toMatchObject({ ino, mtimeMs, nlink: 1 });
});

/** Puts a backup in the place of a directory. A copy has the modes of the files, but not those of directories. */
function restore(backup: string, directory: string): void {
  rmSync(directory, { recursive: true });
  cpSync(backup, directory, { recursive: true, preserveTimestamps: true });
  chmodSync(directory, 0o700);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o700);
  }
}
