import { spawn } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { SCRIPT_TIME } from "../../src/contract/index.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { journalRows } from "./journal-rows.ts";
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
      const rows = journalRows(path);
      expect(done.filter((change) => !rows.has(change))).toEqual([]);
    }),
    { numRuns: 6, endOnFailure: true },
  );
  expect(done.length).toBeGreaterThan(10);
});
