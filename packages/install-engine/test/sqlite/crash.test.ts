import { spawn } from "node:child_process";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { SCRIPT_TIME } from "../../src/contract/index.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { scratchDirectory } from "./scratch.ts";

const scratch = scratchDirectory();
afterAll(scratch.remove);

const CHILD = join(import.meta.dirname, "crash-child.ts");
const CHANGES_MAX = 1_000_000;

/** Runs the child, kills it a number of milliseconds after its first change, and gives what it said was done. */
async function killed(path: string, afterMs: number): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, path, String(CHANGES_MAX)], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (output === "") setTimeout(() => child.kill("SIGKILL"), afterMs);
    output += text;
  });
  const signal = await new Promise((resolve) =>
    child.once("close", (_code, name) => {
      resolve(name);
    }),
  );
  expect(signal).toBe("SIGKILL");
  return output.split("\n").slice(0, -1);
}

/** What the journal has, in the words of the child. */
function kept(path: string): Set<string> {
  const database = new Database(path, { readonly: true });
  const rows = database
    .prepare<[], { said: string }>(
      `SELECT 'record ' || event_id AS said FROM records UNION ALL SELECT 'claim ' || action_id FROM claims UNION ALL
       SELECT 'outcome ' || action_id FROM outcomes UNION ALL SELECT 'settlement ' || action_id FROM settlements`,
    )
    .all();
  database.close();
  return new Set(rows.map((row) => row.said));
}

test("a process killed at any moment loses nothing it said was done, and leaves a journal that verifies and goes on", async () => {
  const path = join(scratch.path, "killed", "journal.sqlite3");
  const done: string[] = [];
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 120 }), async (afterMs) => {
      done.push(...(await killed(path, afterMs)));
      {
        await using journal = await openJournal({ path, clock: () => SCRIPT_TIME });
        await journal.verify();
      }
      const rows = kept(path);
      expect(done.filter((change) => !rows.has(change))).toEqual([]);
    }),
    { numRuns: 6, endOnFailure: true },
  );
  expect(done.length).toBeGreaterThan(10);
});
