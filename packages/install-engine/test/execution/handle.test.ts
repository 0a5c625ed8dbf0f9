import { inspect } from "node:util";
import { MessageChannel } from "node:worker_threads";
import type * as workerThreads from "node:worker_threads";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { grantOne, openBench, type Bench } from "../support/bench.ts";
import type { GrantedInstall, InstallExecutionHandle } from "../../src/index.ts";

// No way leads to another thread with a handle (it cannot be posted), so that thread is only pretended.
// The files of a process share their modules: here they are loaded anew, and not left behind for the next file.
const thread = vi.hoisted(() => {
  vi.resetModules();
  return { id: 0 };
});
afterAll(() => {
  vi.resetModules();
});
vi.mock("node:worker_threads", async (importOriginal) => ({
  ...(await importOriginal<typeof workerThreads>()),
  get threadId() {
    return thread.id;
  },
}));
beforeEach(() => {
  thread.id = 0;
});

async function openHandle(): Promise<Bench & { granted: GrantedInstall; handle: InstallExecutionHandle }> {
  const bench = await openBench();
  const granted = await grantOne(bench.engine);
  const handle = bench.engine.prepareInstallExecution({ ...granted, registry: bench.registry });
  return { ...bench, granted, handle };
}

test("preparing changes nothing and connects nothing", async () => {
  const { engine, granted, shelf } = await openHandle();
  expect(shelf.connectCalls).toBe(0);
  expect(await engine.status(granted.action)).toEqual({ state: "unclaimed" });
});

test("a handle runs once", async () => {
  const { handle, shelf } = await openHandle();
  await handle.execute();
  await expect(handle.execute()).rejects.toMatchObject({ code: "HANDLE_CONSUMED" });
  expect(shelf.applyCalls).toBe(1);
});

test("a handle is consumed even if its run could not start", async () => {
  const { handle } = await openHandle();
  const reason = new Error("stopped by the caller");
  await expect(handle.execute({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  await expect(handle.execute()).rejects.toMatchObject({ code: "HANDLE_CONSUMED" });
});

test("a handle cannot be cloned, posted or serialised, and shows nothing", async () => {
  const { handle } = await openHandle();
  expect(() => structuredClone(handle)).toThrow(expect.objectContaining({ name: "DataCloneError" }));
  const { port1, port2 } = new MessageChannel();
  expect(() => {
    port1.postMessage(handle);
  }).toThrow(expect.objectContaining({ name: "DataCloneError" }));
  port1.close();
  port2.close();
  expect(() => JSON.stringify(handle)).toThrow(expect.objectContaining({ code: "HANDLE_NOT_CLONEABLE" }));
  expect(() => JSON.stringify({ nested: [handle] })).toThrow(expect.objectContaining({ code: "HANDLE_NOT_CLONEABLE" }));
  expect(inspect({ handle })).toBe("{ handle: [InstallExecutionHandle] }");
});

test("another process may not use a handle, and consumes nothing", async () => {
  const { handle } = await openHandle();
  const pid = vi.spyOn(process, "pid", "get").mockReturnValue(process.pid + 1);
  await expect(handle.execute()).rejects.toMatchObject({ code: "HANDLE_PROCESS_MISMATCH" });
  pid.mockRestore();
  expect(await handle.execute()).toMatchObject({ outcome: "applied", settled: true });
});

test("another thread may not use a handle, and consumes nothing", async () => {
  const { handle } = await openHandle();
  thread.id = 7;
  await expect(handle.execute()).rejects.toMatchObject({
    code: "HANDLE_THREAD_MISMATCH",
    facts: { found: 7, expected: 0 },
  });
  thread.id = 0;
  expect(await handle.execute()).toMatchObject({ outcome: "applied", settled: true });
});

test("a closed engine prepares and runs nothing", async () => {
  const { engine, granted, handle, registry } = await openHandle();
  await engine.close();
  await engine.close();
  await expect(handle.execute()).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
  expect(() => engine.prepareInstallExecution({ ...granted, registry })).toThrow(
    expect.objectContaining({ code: "ENGINE_CLOSED" }),
  );
});
