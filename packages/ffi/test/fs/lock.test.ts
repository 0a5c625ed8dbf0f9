import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPinnedDirectory } from "../../src/fs/index.ts";
import { evaluate } from "./child.ts";
import { scratch } from "./scratch.ts";

const HOLD = `
  const lock = openPinnedDirectory(argument.top).openOrCreateLock("lock");
  print(lock.tryLock());
  setInterval(() => lock.status(), 1000);`;

/** A process that holds the lock until it is killed. */
async function startHolder(top: string, body = HOLD): Promise<ChildProcess> {
  const holder = spawn(process.execPath, [...evaluate(body, { top })], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    holder.kill("SIGKILL");
  });
  const printed: unknown[] = await once(holder.stdout, "data");
  expect(String(printed[0]).trim().split("\n")[0]).toBe("true");
  return holder;
}

describe("a lock", () => {
  it("is held by one opening at a time, in one process too", () => {
    using directory = openPinnedDirectory(scratch());
    using first = directory.openOrCreateLock("lock");
    using second = directory.openOrCreateLock("lock");
    expect(first.tryLock()).toBe(true);
    expect(first.tryLock()).toBe(true);
    expect(second.tryLock()).toBe(false);
    first.unlock();
    expect(second.tryLock()).toBe(true);
    expect(first.tryLock()).toBe(false);
    second.close();
    expect(first.tryLock()).toBe(true);
  });

  it("is held against other processes, and the kernel gives it back when its holder is killed", async () => {
    const top = scratch();
    const holder = await startHolder(top);
    using directory = openPinnedDirectory(top);
    using lock = directory.openOrCreateLock("lock");
    expect(lock.tryLock()).toBe(false);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect(lock.tryLock()).toBe(true);
  });

  it("is not kept by a child that its holder started", async () => {
    const top = scratch();
    const holder = await startHolder(
      top,
      `import { spawn } from "node:child_process";
       const lock = openPinnedDirectory(argument.top).openOrCreateLock("lock");
       const locked = lock.tryLock();
       const child = spawn("sleep", ["60"], { stdio: "ignore", detached: true });
       child.on("spawn", () => { print(locked); print(child.pid); });
       setInterval(() => lock.status(), 1000);`,
    );
    using directory = openPinnedDirectory(top);
    using lock = directory.openOrCreateLock("lock");
    expect(lock.tryLock()).toBe(false);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect(lock.tryLock()).toBe(true);
  });

  it("is given back when the worker that holds it is terminated", async () => {
    const top = scratch();
    using directory = openPinnedDirectory(top);
    const sources = pathToFileURL(join(import.meta.dirname, "../../src/fs/index.ts")).href;
    const worker = new Worker(
      `const { parentPort } = require("node:worker_threads");
       import(${JSON.stringify(sources)}).then(({ openPinnedDirectory }) => {
         globalThis.lock = openPinnedDirectory(${JSON.stringify(top)}).openOrCreateLock("lock");
         parentPort.postMessage(globalThis.lock.tryLock());
         setInterval(() => {}, 1000);
       });`,
      { eval: true },
    );
    expect(await once(worker, "message")).toEqual([true]);
    using lock = directory.openOrCreateLock("lock");
    expect(lock.tryLock()).toBe(false);
    await worker.terminate();
    expect(lock.tryLock()).toBe(true);
  });
});
