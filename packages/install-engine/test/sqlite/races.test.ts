import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { decided, plain, StreamScript } from "../../src/contract/index.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { type ContenderResult, type ContenderTask, contend } from "./contender.ts";
import { builtModule, copyPackage } from "./package-copy.ts";
import { scratchDirectory } from "./scratch.ts";

const run = promisify(execFile);
const scratch = scratchDirectory();
afterAll(scratch.remove);

const CONTENDER = join(import.meta.dirname, "contender.ts");
const SESSIONS = Array.from({ length: 12 }, (_, index) => `session-${index}`);

async function inProcess(task: ContenderTask): Promise<ContenderResult> {
  const { stdout } = await run(process.execPath, [CONTENDER, JSON.stringify(task)]);
  return JSON.parse(stdout) as ContenderResult;
}

async function inThread(task: ContenderTask): Promise<ContenderResult> {
  const worker = new Worker(CONTENDER, { workerData: task });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

/** Grants every session, lets all contenders loose at once, and demands that each step of each action was won once. */
async function raced(name: string, start: (task: ContenderTask) => readonly Promise<ContenderResult>[]): Promise<void> {
  const path = join(scratch.path, name, "journal.sqlite3");
  {
    await using journal = await openJournal({ path });
    for (const session of SESSIONS) {
      const script = new StreamScript(session);
      await journal.commit(plain(script.plan("a")));
      await journal.commit(decided(script.grant().record));
    }
  }
  const results = await Promise.all(start({ module: builtModule(), journal: path, sessions: SESSIONS }));
  const sum = (step: keyof ContenderResult): number => results.reduce((total, result) => total + result[step], 0);
  expect([sum("claims"), sum("outcomes"), sum("settlements")]).toEqual([12, 12, 12]);
  await using after = await openJournal({ path });
  expect(await after.verify()).toMatchObject({ streams: 12, records: 36, claims: 12, outcomes: 12, settlements: 12 });
  expect(await after.unsettledClaims({ limit: 100 })).toEqual([]);
}

test("four processes: every claim, outcome and settlement has one winner", async () => {
  await raced("processes", (task) => [task, task, task, task].map(inProcess));
});

test("four threads: every claim, outcome and settlement has one winner", async () => {
  await raced("threads", (task) => [task, task, task, task].map(inThread));
});

test("two copies of the package with a driver each, in one thread, with another process: one winner", async () => {
  const copy = copyPackage(join(scratch.path, "copy-raced"));
  await raced("copies", (task) => [contend(task), contend({ ...task, module: copy }), inProcess(task)]);
});

test("a copy that closes first takes nothing from the other: what that one commits later is there for everybody", async () => {
  const module = copyPackage(join(scratch.path, "copy-closing"));
  const copy = (await import(module)) as { readonly openJournal: typeof openJournal };
  const path = join(scratch.path, "closing", "journal.sqlite3");
  const script = new StreamScript("session-1");
  await using staying = await openJournal({ path });
  await staying.commit(plain(script.plan("a")));
  const closing = await copy.openJournal({ path });
  await closing.commit(plain(script.plan("b")));
  // With locks that the two cannot see of each other, this removes the log that the other one goes on writing to.
  await closing.close();
  await staying.commit(plain(script.plan("c")));
  const program = `
    const { openJournal } = await import(process.argv[1]);
    const journal = await openJournal({ path: process.argv[2] });
    console.log(JSON.stringify(await journal.head()));
    await journal.close();`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program, builtModule(), path]);
  expect(JSON.parse(stdout)).toEqual(await staying.head());
  expect((await staying.head()).sequence).toBe(3);
});

test("a second copy of SQLite in another thread of the process is refused, and both folders are named", async () => {
  const copy = copyPackage(join(scratch.path, "copy-threaded"));
  const path = join(scratch.path, "threaded", "journal.sqlite3");
  await using journal = await openJournal({ path });
  const task = { module: copy, journal: path, sessions: [] };
  const error: unknown = await inThread(task).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "JOURNAL_OPEN_IN_ANOTHER_COPY" });
  expect(String(error)).toContain(join(scratch.path, "copy-threaded"));
  await journal.commit(plain(new StreamScript("session-1").plan("a")));
  await journal.close();
  // Whoever has it open no more holds nobody up, and neither does another process with another copy.
  expect(await inThread(task)).toEqual({ claims: 0, outcomes: 0, settlements: 0 });
  await using again = await openJournal({ path });
  expect(await inProcess(task)).toEqual({ claims: 0, outcomes: 0, settlements: 0 });
  expect((await again.verify()).records).toBe(1);
});
