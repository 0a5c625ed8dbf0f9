import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, expect, test } from "vitest";
import { plain, SCRIPT_TIME, StreamScript } from "../../src/contract/index.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { PIECE_ROWS_MAX } from "../../src/sqlite/limits.ts";
import { refused } from "./refused.ts";
import { scratchDirectory } from "./scratch.ts";

const scratch = scratchDirectory();
afterAll(scratch.remove);

const ROWS_OF_THE_OTHER = PIECE_ROWS_MAX + 16;

/** Two stores on one journal: the first has found nobody else's rows at its last write, and the second then adds many. */
async function behind(name: string): Promise<{ path: string; write: () => Promise<string> }> {
  const path = join(scratch.path, name, "journal.sqlite3");
  const [one, other] = [await openJournal({ path, clock: () => SCRIPT_TIME }), await openJournal({ path })];
  const script = new StreamScript("session-1");
  await one.commit(plain(script.plan("a", "first")));
  for (let row = 0; row < ROWS_OF_THE_OTHER; row += 1) await other.commit(plain(script.plan("a", `other-${row}`)));
  await other.close();
  const write = async (): Promise<string> => {
    try {
      return (await one.commit(plain(script.plan("a", "last")))).kind;
    } finally {
      await one.close();
    }
  };
  return { path, write };
}

test("a store that is more than a piece behind verifies what others have added before it writes", async () => {
  const { path, write } = await behind("sound");
  expect(await write()).toBe("committed");
  await using journal = await openJournal({ path, readOnly: true });
  expect((await journal.verify()).head.sequence).toBe(ROWS_OF_THE_OTHER + 2);
});

test("a forged row among them is refused, and nothing is written", async () => {
  const { path, write } = await behind("forged");
  const database = new Database(path);
  database.prepare("UPDATE records SET transition_json = '{}' WHERE sequence = 3").run();
  database.close();
  expect((await refused("JOURNAL_CORRUPT", write())).facts).toMatchObject({ sequence: 3 });
});
