import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, test } from "vitest";
import {
  claimRequest,
  outcomeRequest,
  decided,
  plain,
  SCRIPT_TIME,
  settleRequest,
  StreamScript,
} from "../../src/contract/index.ts";
import type { JournalStore } from "../../src/journal.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { scratchDirectory } from "./scratch.ts";

const scratch = scratchDirectory();
afterAll(scratch.remove);

const clock = (): string => SCRIPT_TIME;
/** Turns of the event loop, of 10 ms at least, that are made while another process holds the lock: 2 s. */
const TURNS = 200;

async function holdLock(
  kind: "sqlite" | "flock",
  path: string,
): Promise<{ child: ChildProcess; release: () => Promise<void> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "lock-holder.ts"), kind, path], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return {
    child,
    release: async () => {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

test("a lock file that was removed while the journal was open does not let it write beside whoever holds the new one", async () => {
  const path = join(scratch.path, "removed", "journal.sqlite3");
  await using journal = await openJournal({ path, clock });
  const script = new StreamScript("session-1");
  await journal.commit(plain(script.plan("a")));
  await rm(`${path}.lock`);
  const holder = await holdLock("flock", path);
  const controller = new AbortController();
  const { record } = script.grant();
  const writing = journal.commit(decided(record), { signal: controller.signal });
  await pause(50);
  controller.abort(new Error("enough"));
  await expect(writing).rejects.toThrow("enough");
  expect((await journal.snapshot(script.streamKey))?.revision).toBe(1);
  await holder.release();
  expect((await journal.commit(decided(record))).kind).toBe("committed");
});

for (const kind of ["sqlite", "flock"] as const) {
  describe(`while another process holds the write lock (${kind})`, () => {
    test("a whole install waits without holding the event loop, and goes through when the lock is free", async () => {
      const path = join(scratch.path, kind, "journal.sqlite3");
      await using journal = await openJournal({ path, clock });
      const script = new StreamScript("session-1");
      await journal.commit(plain(script.plan("a")));
      const holder = await holdLock(kind, path);
      let waiting = true;
      const install = (async () => {
        const { record, action } = script.grant();
        await journal.commit(decided(record));
        await journal.claim(claimRequest(action, record));
        const result = await journal.recordOutcome(outcomeRequest(script.streamKey, action, "applied"));
        if (result.kind !== "recorded") throw new Error(result.kind);
        const { outcomeDigest } = result.outcome;
        const receipt = script.receipt(action, "applied", outcomeDigest);
        return journal.commit(settleRequest(receipt, action, "applied", outcomeDigest));
      })().finally(() => {
        waiting = false;
      });
      // Only this loop lets the holder go: a write that held it would wait for itself, and then give up.
      for (let turn = 0; turn < TURNS; turn += 1) {
        await pause(10);
        expect(waiting).toBe(true);
      }
      expect((await journal.snapshot(script.streamKey))?.revision).toBe(1);
      await holder.release();
      expect((await install).kind).toBe("committed");
      expect((await journal.verify()).settlements).toBe(1);
    });

    test("a signal ends the wait, and nothing was written", async () => {
      const path = join(scratch.path, `${kind}-signal`, "journal.sqlite3");
      await using journal = await openJournal({ path, clock });
      const holder = await holdLock(kind, path);
      const controller = new AbortController();
      const reason = new Error("no longer wanted");
      const script = new StreamScript("session-1");
      const request = plain(script.plan("a"));
      const open = (): Promise<JournalStore> => openJournal({ path, clock, signal: controller.signal });
      // Opening needs no lock of SQLite when nothing has to be recovered: only our own holds it up, which a write also takes.
      if (kind === "sqlite") await (await open()).close();
      const write = journal.commit(request, { signal: controller.signal });
      const waiting = kind === "flock" ? [write, open()] : [write];
      const refused = Promise.all(waiting.map((call) => expect(call).rejects.toBe(reason)));
      await pause(30);
      controller.abort(reason);
      await refused;
      expect(await journal.head()).toEqual({ sequence: 0, digest: null });
      await holder.release();
      expect((await journal.commit(request)).kind).toBe("committed");
    });

    test("a holder that is killed gives its lock back", async () => {
      const path = join(scratch.path, `${kind}-killed`, "journal.sqlite3");
      await using journal = await openJournal({ path, clock });
      const { child } = await holdLock(kind, path);
      const write = journal.commit(plain(new StreamScript("session-1").plan("a")));
      child.kill("SIGKILL");
      expect((await write).kind).toBe("committed");
    });
  });
}

test("a thread that is terminated while it holds the lock of an action, and has the journal open, gives all back", async () => {
  const path = join(scratch.path, "terminated", "journal.sqlite3");
  const key = { streamKey: "stream", actionId: "action" };
  await using journal = await openJournal({ path, clock });
  const worker = new Worker(join(import.meta.dirname, "lock-thread.ts"), { workerData: { path, key } });
  await once(worker, "message");
  let held = false;
  const waiting = journal.withActionLock(key, () => {
    held = true;
    return Promise.resolve();
  });
  await pause(50);
  expect(held).toBe(false);
  await worker.terminate();
  await waiting;
  expect((await journal.commit(plain(new StreamScript("session-1").plan("a")))).kind).toBe("committed");
});
