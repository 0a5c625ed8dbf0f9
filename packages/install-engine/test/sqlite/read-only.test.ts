import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { claimRequest, decided, plain, SCRIPT_TIME, StreamScript } from "../../src/contract/index.ts";
import type { JournalStore } from "../../src/journal.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { refused } from "./refused.ts";
import { scratchDirectory } from "./scratch.ts";

const run = promisify(execFile);
const scratch = scratchDirectory();
afterAll(scratch.remove);

const clock = (): string => SCRIPT_TIME;

/** Bytes and times of the database and its log: read by another process, because to close them here would drop locks. */
async function fingerprint(path: string): Promise<string> {
  const script = `
    const fs = require("node:fs"), crypto = require("node:crypto");
    for (const suffix of ["", "-wal"]) {
      const file = process.argv[1] + suffix;
      if (!fs.existsSync(file)) { console.log(suffix, "none"); continue; }
      const hash = crypto.createHash("sha256").update(fs.readFileSync(file)).digest("hex");
      const { ino, size, mtimeNs } = fs.statSync(file, { bigint: true });
      console.log(suffix, hash, ino, size, mtimeNs);
    }`;
  return (await run(process.execPath, ["-e", script, path])).stdout;
}

async function readEverything(journal: JournalStore, script: StreamScript): Promise<number> {
  const verification = await journal.verify();
  await journal.snapshot(script.streamKey);
  for await (const record of journal.replay(script.streamKey)) expect(record.streamKey).toBe(script.streamKey);
  await journal.streams({}, { limit: 10 });
  await journal.unsettledClaims({ limit: 10 });
  await journal.head();
  return verification.records;
}

describe("a journal that was opened read-only", () => {
  test("changes no byte of the database or its log while a writer is there, and sees what is committed meanwhile", async () => {
    const path = join(scratch.path, "live", "journal.sqlite3");
    const script = new StreamScript("session-1");
    await using writer = await openJournal({ path, clock });
    await writer.commit(plain(script.plan("a")));
    const before = await fingerprint(path);
    await using reader = await openJournal({ path, readOnly: true, clock });
    expect(await readEverything(reader, script)).toBe(1);
    expect(await fingerprint(path)).toBe(before);
    await writer.commit(plain(script.plan("b")));
    const after = await fingerprint(path);
    expect(await readEverything(reader, script)).toBe(2);
    await reader.close();
    expect(await fingerprint(path)).toBe(after);
  });

  test("changes no byte of a journal that nobody else has open, with its rows in the database or in the log", async () => {
    const closed = join(scratch.path, "closed", "journal.sqlite3");
    const script = new StreamScript("session-1");
    await using writer = await openJournal({ path: closed, clock });
    await writer.commit(plain(script.plan("a")));
    await writer.close();
    const crashed = join(scratch.path, "crashed", "journal.sqlite3");
    const child = join(import.meta.dirname, "crash-child.ts");
    await run(process.execPath, [child, crashed, "3"]).catch((error: unknown) => {
      expect(error).toMatchObject({ signal: "SIGKILL" });
    });
    expect(statSync(`${crashed}-wal`).size).toBeGreaterThan(0);
    for (const path of [closed, crashed]) {
      const before = readFileSync(path);
      const log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
      {
        await using reader = await openJournal({ path, readOnly: true, clock });
        expect(await readEverything(reader, script)).toBeGreaterThan(0);
      }
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
    }
  });

  test("refuses every change and every lock by name", async () => {
    const path = join(scratch.path, "refused", "journal.sqlite3");
    const script = new StreamScript("session-1");
    {
      await using writer = await openJournal({ path, clock });
      await writer.commit(plain(script.plan("a")));
    }
    await using reader = await openJournal({ path, readOnly: true, clock });
    const { record, action } = script.grant();
    await refused("JOURNAL_READ_ONLY", reader.commit(decided(record)));
    await refused("JOURNAL_READ_ONLY", reader.claim(claimRequest(action, record)));
    const key = { streamKey: script.streamKey, actionId: action.actionId };
    await refused(
      "JOURNAL_READ_ONLY",
      reader.withActionLock(key, () => Promise.resolve()),
    );
    expect(readdirSync(join(scratch.path, "refused", "install-execution-locks"))).toEqual([]);
  });
});
