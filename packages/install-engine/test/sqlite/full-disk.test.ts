import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { plain, SCRIPT_TIME, StreamScript } from "../../src/contract/index.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { journalRows } from "./journal-rows.ts";
import { scratchDirectory } from "./scratch.ts";

const scratch = scratchDirectory();
afterAll(scratch.remove);

const CHILD = join(import.meta.dirname, "crash-child.ts");
const CHANGES_MAX = 10_000;
/** What `ulimit -f` counts in. */
const BLOCK_BYTES = 512;

/**
 * Lets the child work until a file may not grow any more: the kernel's own refusal of a write, as on a full disk, but
 * without a disk of its own. Gives the last line of what it said, and the lines before it.
 */
function refusedAt(path: string, fileBytesMax: number): { done: string[]; failure: string } {
  const limited = `ulimit -f ${fileBytesMax / BLOCK_BYTES}; exec "$@"`;
  const args = ["-c", limited, "sh", process.execPath, CHILD, path, String(CHANGES_MAX)];
  const { stdout, stderr, status } = spawnSync("sh", args, { encoding: "utf8" });
  expect({ stderr, status }).toEqual({ stderr: "", status: 3 });
  const lines = stdout.split("\n").slice(0, -1);
  return { done: lines.slice(0, -1), failure: lines.at(-1) ?? "" };
}

test("a change the disk has no room for is refused whole, by name, and the journal goes on when there is room", async () => {
  // One size after the other, so that the refusal meets every kind of change: a settlement is two rows and a projection.
  for (let kilobytes = 96; kilobytes <= 416; kilobytes += 64) {
    const path = join(scratch.path, `full-${kilobytes}`, "journal.sqlite3");
    const { done, failure } = refusedAt(path, kilobytes * 1024);
    expect(failure).toMatch(/^failed JOURNAL_WRITE_FAILED SQLITE_(FULL|IOERR_WRITE)$/u);
    expect(done.length).toBeGreaterThan(0);
    await using journal = await openJournal({ path, clock: () => SCRIPT_TIME });
    await journal.verify();
    expect([...journalRows(path)].sort()).toEqual([...done].sort());
    expect((await journal.commit(plain(new StreamScript("session-after").plan("b")))).kind).toBe("committed");
  }
});
