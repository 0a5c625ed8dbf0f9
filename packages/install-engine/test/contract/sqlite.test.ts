import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { journalContract } from "../../src/contract/index.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { scratchDirectory } from "../sqlite/scratch.ts";

const scratch = scratchDirectory();
afterAll(scratch.remove);

describe("the SQLite journal passes the contract of every JournalStore", () => {
  journalContract({
    test,
    open: (name, { clock }) => openJournal({ path: join(scratch.path, name, "journal.sqlite3"), clock }),
  });
});
