import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, expect, test } from "vitest";
import { plain, SCRIPT_TIME, StreamScript } from "../../src/contract/index.ts";
import type { JournalStore } from "../../src/journal.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { CHECKPOINT_INTERVAL_ROWS, PIECE_ROWS_MAX } from "../../src/sqlite/limits.ts";
import { refused } from "./refused.ts";
import { scratchDirectory } from "./scratch.ts";

const scratch = scratchDirectory();
afterAll(scratch.remove);
let journals = 0;

/** A store that has written one row, and another one that has added `rows` since. */
async function behind(rows: number) {
  journals += 1;
  const path = join(scratch.path, `journal-${journals}`, "journal.sqlite3");
  const one = await openJournal({ path, clock: () => SCRIPT_TIME });
  const script = new StreamScript("session-1");
  await one.commit(plain(script.plan("a", "first")));
  {
    await using other = await openJournal({ path, clock: () => SCRIPT_TIME });
    for (let row = 0; row < rows; row += 1) await other.commit(plain(script.plan("a", `other-${row}`)));
  }
  const last = plain(script.plan("a", "last"));
  return { path, one, script, write: () => one.commit(last) };
}

function change(path: string, statement: string): void {
  const database = new Database(path);
  database.pragma("foreign_keys = OFF");
  database.exec(statement);
  database.close();
}

async function rowsOf(journal: JournalStore): Promise<number> {
  return (await journal.head()).sequence;
}

test("a store that is more than a piece behind follows what others have added before it writes", async () => {
  const rows = PIECE_ROWS_MAX + 16;
  const { one, write } = await behind(rows);
  await using journal = one;
  expect((await write()).kind).toBe("committed");
  expect((await journal.verify()).head.sequence).toBe(rows + 2);
});

test("a link that others have changed, left out or moved is refused by the next write, however far behind it is", async () => {
  for (const rows of [8, PIECE_ROWS_MAX + 16]) {
    for (const statement of [
      `UPDATE entries SET row_digest = '${"0".repeat(64)}' WHERE sequence = 5`,
      "DELETE FROM entries WHERE sequence = 5",
      "UPDATE entries SET sequence = 1000 WHERE sequence = 5; UPDATE entries SET sequence = 5 WHERE sequence = 6; UPDATE entries SET sequence = 6 WHERE sequence = 1000",
    ]) {
      const { path, one, write } = await behind(rows);
      await using journal = one;
      change(path, statement);
      expect((await refused("JOURNAL_CORRUPT", write())).facts).toMatchObject({ sequence: 5 });
      expect(await rowsOf(journal)).toBe(rows + 1);
    }
  }
});

test("a forged row since the checkpoint is refused by the write that would vouch for it, and nothing is written", async () => {
  const { path, one, script, write } = await behind(CHECKPOINT_INTERVAL_ROWS - 3);
  await using journal = one;
  change(path, "UPDATE records SET transition_json = '{}' WHERE sequence = 3");
  expect((await write()).kind).toBe("committed");
  const next = plain(script.plan("a", "one more"));
  for (let attempt = 0; attempt < 2; attempt += 1) {
    expect((await refused("JOURNAL_CORRUPT", journal.commit(next))).facts).toMatchObject({ sequence: 3 });
  }
  expect(await rowsOf(journal)).toBe(CHECKPOINT_INTERVAL_ROWS - 1);
});

test("a row that another store's checkpoint vouches for is verified when it is used", async () => {
  const { path, one, script, write } = await behind(CHECKPOINT_INTERVAL_ROWS + 8);
  await using journal = one;
  change(path, "UPDATE records SET transition_json = '{}' WHERE sequence = 3");
  expect((await write()).kind).toBe("committed");
  await refused("JOURNAL_CORRUPT", journal.record(script.streamKey, 3));
  await refused("JOURNAL_CORRUPT", journal.verify());
});
