import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimRequest, decided, plain, SCRIPT_TIME, StreamScript } from "../../src/contract/index.ts";
import { checkpointDigest } from "../../src/sqlite/checkpoint.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { CHECKPOINT_INTERVAL_ROWS } from "../../src/sqlite/limits.ts";
import { refused } from "./refused.ts";
import { scratchDirectory } from "./scratch.ts";

const scratch = scratchDirectory();
afterAll(scratch.remove);

const clock = (): string => SCRIPT_TIME;
const original = join(scratch.path, "original", "journal.sqlite3");
const ROWS = CHECKPOINT_INTERVAL_ROWS + 44;
const script = new StreamScript("session-1");
let copies = 0;

beforeAll(async () => {
  // Two stores take turns, so that each has to verify what the other has added before it moves the checkpoint.
  await using one = await openJournal({ path: original, clock });
  await using two = await openJournal({ path: original, clock });
  for (let row = 1; row <= ROWS; row += 1) {
    const result = await (row % 3 === 0 ? two : one).commit(plain(script.plan("a", `event-${row}`)));
    expect(result.kind).toBe("committed");
  }
});

function tampered(...statements: readonly string[]): string {
  copies += 1;
  const directory = join(scratch.path, `copy-${copies}`);
  mkdirSync(directory, { mode: 0o700 });
  const path = join(directory, "journal.sqlite3");
  copyFileSync(original, path);
  const database = new Database(path);
  for (const statement of statements) database.exec(statement);
  database.close();
  return path;
}

test("the checkpoint follows the newest row, so that an open does not read the history", async () => {
  const database = new Database(original, { readonly: true });
  const checkpoint = database.prepare<[], { sequence: number }>("SELECT sequence FROM checkpoint").get();
  database.close();
  expect(checkpoint?.sequence).toBeGreaterThanOrEqual(CHECKPOINT_INTERVAL_ROWS);
  expect(ROWS - (checkpoint?.sequence ?? 0)).toBeLessThan(CHECKPOINT_INTERVAL_ROWS);
  const path = tampered("UPDATE records SET replay_json = '{}' WHERE sequence = 7");
  await using journal = await openJournal({ path, clock });
  expect((await journal.head()).sequence).toBe(ROWS);
  const found = await refused("JOURNAL_CORRUPT", journal.verify());
  expect(found.facts).toMatchObject({ sequence: 7, reason: "its replay text does not have its replay digest" });
});

test("a row before the checkpoint is verified when it is used, and the rest of the journal serves on", async () => {
  const path = tampered("UPDATE records SET replay_json = '{}' WHERE sequence = 7");
  await using journal = await openJournal({ path, clock });
  const { streamKey } = script;
  await refused("JOURNAL_CORRUPT", journal.record(streamKey, 7));
  await refused(
    "JOURNAL_CORRUPT",
    (async () => {
      for await (const record of journal.replay(streamKey)) expect(record.revision).toBeLessThan(7);
    })(),
  );
  expect((await journal.record(streamKey, 6))?.revision).toBe(6);
  expect((await journal.commit(plain(new StreamScript("session-2").plan("b")))).kind).toBe("committed");
});

test("a row after the checkpoint is verified by the open", async () => {
  const sequence = ROWS - 1;
  const path = tampered(`UPDATE records SET replay_json = '{}' WHERE sequence = ${sequence}`);
  const error = await refused("JOURNAL_CORRUPT", openJournal({ path, clock }));
  expect(error.facts["sequence"]).toBe(sequence);
});

test("a checkpoint that is sealed anew but names another link is refused", async () => {
  for (const head of [
    { sequence: CHECKPOINT_INTERVAL_ROWS, digest: "0".repeat(64) },
    { sequence: ROWS + 1, digest: "0".repeat(64) },
    { sequence: 0, digest: "0".repeat(64) },
    { sequence: 5, digest: null },
  ]) {
    const digest = head.digest === null ? "NULL" : `'${head.digest}'`;
    const path = tampered(
      `UPDATE checkpoint SET sequence = ${head.sequence}, entry_digest = ${digest}, checkpoint_digest = '${checkpointDigest(head)}'`,
    );
    expect((await refused("JOURNAL_CORRUPT", openJournal({ path, clock }))).facts["subject"]).toBe("checkpoint");
  }
});

test("a journal that became shorter or other while it was open is noticed by the next write", async () => {
  const path = tampered();
  await using journal = await openJournal({ path, clock });
  const database = new Database(path);
  database.exec(
    `PRAGMA foreign_keys = OFF; DELETE FROM records WHERE sequence = ${ROWS}; DELETE FROM entries WHERE sequence = ${ROWS}`,
  );
  const error = await refused("JOURNAL_CORRUPT", journal.commit(plain(new StreamScript("session-2").plan("b"))));
  expect(error.message).toContain("lost its newest rows while it was open");
  database.close();
});

test("a claim that was removed from the history never lets its action be claimed again", async () => {
  const path = tampered();
  await using journal = await openJournal({ path, clock });
  const stream = new StreamScript("session-claimed");
  await journal.commit(plain(stream.plan("a")));
  const { record, action } = stream.grant();
  await journal.commit(decided(record));
  await journal.claim(claimRequest(action, record));
  await journal.commit(plain(new StreamScript("session-later").plan("b")));
  const database = new Database(path);
  database.exec("PRAGMA foreign_keys = OFF; DELETE FROM claims");
  database.close();
  const key = { streamKey: stream.streamKey, actionId: action.actionId };
  for (const look of [journal.status(key), journal.claim(claimRequest(action, record))]) {
    const error = await refused("JOURNAL_CORRUPT", look);
    expect(error.facts["reason"]).toBe("it is missing, and the list of unsettled claims names it");
  }
});
