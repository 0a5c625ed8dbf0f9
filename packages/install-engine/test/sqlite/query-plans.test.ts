import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Connection, openConnection } from "../../src/sqlite/connection.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { prepareTables } from "../../src/sqlite/journal-tables.ts";
import { scratchDirectory } from "./scratch.ts";

const scratch = scratchDirectory();
afterAll(scratch.remove);

/** What SQLite says of a step that goes through all rows of a table or of an index. */
const SCAN = /^SCAN (?!CONSTANT ROW)/;

test("no query walks through a table, so that none gets dearer with the journal, but those that stop at their limit", async () => {
  const path = join(scratch.path, "plans", "journal.sqlite3");
  await (await openJournal({ path })).close();
  const connection = openConnection(path, { readOnly: true });
  const queries: string[] = [];
  const recording: Connection = {
    inTransaction: false,
    exec: (sql) => {
      connection.exec(sql);
    },
    pragma: (sql) => connection.pragma(sql),
    prepare: (sql) => {
      queries.push(sql);
      return connection.prepare(sql);
    },
    close: () => {
      connection.close();
    },
  };
  prepareTables(recording, path);
  const scans = queries.filter((sql) => {
    // The plan does not depend on the values.
    const plan = connection.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll("?", "1")}`).all();
    return !/\bLIMIT (?:1|\?)$/.test(sql.trimEnd()) && plan.some(({ detail }) => SCAN.test(detail));
  });
  connection.close();
  expect(queries.length).toBeGreaterThan(20);
  expect(scans).toEqual([]);
});
