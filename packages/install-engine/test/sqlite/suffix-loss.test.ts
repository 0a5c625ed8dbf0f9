import { copyFileSync, existsSync, mkdirSync, rmSync, truncateSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { claimRequest, decided, plain, SCRIPT_TIME, StreamScript } from "../../src/contract/index.ts";
import type { JournalHead } from "../../src/journal.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { refused } from "./refused.ts";
import { scratchDirectory } from "./scratch.ts";

const scratch = scratchDirectory();
afterAll(scratch.remove);

const clock = (): string => SCRIPT_TIME;
let copies = 0;

/** What the files of an open journal are at this moment: what a crash, or a backup, would leave. */
function copyFiles(path: string): string {
  copies += 1;
  const directory = join(scratch.path, `copy-${copies}`);
  mkdirSync(directory, { mode: 0o700 });
  const copy = join(directory, "journal.sqlite3");
  for (const suffix of ["", "-wal"]) {
    if (existsSync(`${path}${suffix}`)) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
  }
  return copy;
}

/** A journal of six rows with every head it had, and a copy of its files while it was still open. */
async function grownJournal(name: string): Promise<{ copy: string; heads: readonly JournalHead[] }> {
  const path = join(scratch.path, name, "journal.sqlite3");
  await using journal = await openJournal({ path, clock });
  const heads = [await journal.head()];
  const script = new StreamScript("session-1");
  await journal.commit(plain(script.plan("a")));
  heads.push(await journal.head());
  const { record, action } = script.grant();
  await journal.commit(decided(record));
  heads.push(await journal.head());
  await journal.claim(claimRequest(action, record));
  heads.push(await journal.head());
  for (const session of ["session-2", "session-3", "session-4"]) {
    await journal.commit(plain(new StreamScript(session).plan("b")));
    heads.push(await journal.head());
  }
  return { copy: copyFiles(path), heads };
}

describe("the loss of the newest rows leaves a valid chain, and a head that was kept elsewhere shows it", () => {
  test("a torn log, cut at any byte: the journal opens with a head it once had, and expectHead refuses every later one", async () => {
    const { copy, heads } = await grownJournal("torn");
    const size = statSync(`${copy}-wal`).size;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: size }), async (cut) => {
        const torn = copyFiles(copy);
        truncateSync(`${torn}-wal`, cut);
        let found: JournalHead;
        {
          await using journal = await openJournal({ path: torn, clock });
          found = await journal.head();
          await journal.verify();
        }
        expect(heads).toContainEqual(found);
        for (const head of heads) {
          if (head.sequence <= found.sequence) {
            await (await openJournal({ path: torn, clock, expectHead: head })).close();
          } else {
            const error = await refused("JOURNAL_HEAD_MISMATCH", openJournal({ path: torn, clock, expectHead: head }));
            expect(error.facts).toMatchObject({
              sequence: head.sequence,
              expected: head.digest,
              headSequence: found.sequence,
            });
          }
        }
      }),
      { numRuns: 12 },
    );
  });

  test("a deleted log loses its rows without an error, and expectHead says so", async () => {
    const { copy, heads } = await grownJournal("deleted");
    rmSync(`${copy}-wal`);
    const expectHead = heads.at(-1);
    if (expectHead === undefined) throw new Error("no head");
    await refused("JOURNAL_HEAD_MISMATCH", openJournal({ path: copy, clock, expectHead }));
    await using journal = await openJournal({ path: copy, clock });
    expect((await journal.head()).sequence).toBe(0);
  });

  test("the head of another journal is refused, whatever its length", async () => {
    const { copy } = await grownJournal("one");
    const other = { sequence: 1, digest: "0".repeat(64) };
    await refused("JOURNAL_HEAD_MISMATCH", openJournal({ path: copy, clock, expectHead: other }));
    await refused("JOURNAL_HEAD_MISMATCH", openJournal({ path: copy, readOnly: true, clock, expectHead: other }));
  });
});
