import { tmpdir } from "node:os";
import { join } from "node:path";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { buildFaultRuntime, openScript, type OpenStep } from "@mesh/testkit";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { nativeRuntime } from "../../src/runtime/native.ts";
import { openRuntime } from "../../src/runtime/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { drainAll } from "./records.ts";

const CANCELLED = 6;

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime(await buildFaultRuntime("cancellable"));
});

function marker(): string {
  return join(mkdtempSync(join(tmpdir(), "mesh-ffi-cancel-")), "reached");
}

/** Keeps what native opens give, so that no garbage collection can free a model in the place of the code under test. */
function holdOpenedModels(): void {
  const held: unknown[] = [];
  const native = nativeRuntime();
  const open = native.openModel.bind(native);
  const spy = vi.spyOn(native, "openModel").mockImplementation((request) => {
    const call = open(request);
    void call.settled.then((outcome) => held.push(outcome));
    return call;
  });
  onTestFinished(() => {
    spy.mockRestore();
    held.length = 0;
  });
}

async function reached(path: string): Promise<void> {
  await expect.poll(() => existsSync(path), { timeout: 30_000 }).toBe(true);
}

describe("a signal stops the native work of an open", () => {
  it("says so by our own flag, and the last event is FAILED_HANDLED with failure code CANCELLED", async () => {
    const running = marker();
    const queue = runtime.createModelOpenQueue();
    const controller = new AbortController();
    const steps: OpenStep[] = [{ step: "started" }, { step: "touch", value: running }, { step: "wait-cancel" }];
    const opening = runtime.openModel({ path: openScript(steps), queue, signal: controller.signal });
    await reached(running);
    controller.abort(new Error("changed my mind"));
    await expect(opening).rejects.toMatchObject({
      name: "AbortError",
      code: "CANCELLED",
      cancelled: true,
      nativeWork: "stopped",
      cause: { message: "changed my mind" },
    });
    const last = drainAll(queue).at(-1);
    expect(last).toMatchObject({ kind: 5, failureCode: CANCELLED });
  });

  it("works without a queue as well", async () => {
    const running = marker();
    const controller = new AbortController();
    const steps: OpenStep[] = [{ step: "touch", value: running }, { step: "wait-cancel" }];
    const opening = runtime.openModel({ path: openScript(steps), signal: controller.signal });
    await reached(running);
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: "CANCELLED", nativeWork: "stopped" });
  });

  it("a signal that has fired already starts nothing", async () => {
    const running = marker();
    const opening = runtime.openModel({
      path: openScript([{ step: "touch", value: running }]),
      signal: AbortSignal.abort(),
    });
    await expect(opening).rejects.toMatchObject({ code: "CANCELLED", nativeWork: "not-started" });
    expect(existsSync(running)).toBe(false);
  });

  it("a failure that comes before any abort is the failure, with the same status a cancel has", async () => {
    const controller = new AbortController();
    const opening = runtime.openModel({ path: openScript([{ step: "fail", count: 7 }]), signal: controller.signal });
    await expect(opening).rejects.toMatchObject({ code: "MODEL_OPEN_FAILED", facts: { statusName: "RUNTIME_ERROR" } });
  });

  it("an open that succeeds in spite of the abort gives nobody a model and frees it", async () => {
    const running = marker();
    const controller = new AbortController();
    const steps: OpenStep[] = [{ step: "touch", value: running }, { step: "sleep", count: 100 }, { step: "finished" }];
    holdOpenedModels();
    const reporter = await runtime.installReporter();
    const opening = runtime.openModel({ path: openScript(steps), signal: controller.signal });
    await reached(running);
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: "CANCELLED" });
    // UNLOAD_STARTED and UNLOAD_COMPLETED: the model that nobody got is gone.
    await expect.poll(() => reporter.counters().accepted, { timeout: 30_000 }).toBe(2);
    expect(drainAll(reporter).map((record) => record.kind)).toEqual([500, 501]);
    await reporter.clear();
  });
});

describe("a cancel that does not take at once", () => {
  it("is repeated, because the first one can come before the runtime knows the call", async () => {
    const running = marker();
    const controller = new AbortController();
    const steps: OpenStep[] = [{ step: "touch", value: running }, { step: "wait-cancel" }];
    const opening = runtime.openModel({ path: openScript(steps), signal: controller.signal });
    await reached(running);
    const firstIsLost = vi.spyOn(nativeRuntime(), "cancel").mockImplementationOnce(() => undefined);
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: "CANCELLED", nativeWork: "stopped" });
    firstIsLost.mockRestore();
  });

  it("lets the caller go when the runtime does not stop, and frees what is opened later", async () => {
    const [running, gate] = [marker(), marker()];
    const controller = new AbortController();
    const steps: OpenStep[] = [
      { step: "touch", value: running },
      { step: "wait-file", value: gate },
      { step: "finished" },
    ];
    holdOpenedModels();
    const reporter = await runtime.installReporter();
    drainAll(reporter);
    const opening = runtime.openModel({ path: openScript(steps), signal: controller.signal });
    await reached(running);
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: "CANCELLED", nativeWork: "running" });
    expect(drainAll(reporter)).toEqual([]);
    writeFileSync(gate, "");
    const kinds: number[] = [];
    const unloaded = (): number[] => {
      kinds.push(...drainAll(reporter).map((record) => record.kind));
      return kinds;
    };
    await expect.poll(unloaded, { timeout: 30_000 }).toEqual([500, 501]);
    await reporter.clear();
  });
});

describe("a signal stops the native work of a session", () => {
  it.each(["decode", "prefill"] as const)("%s", async (call) => {
    const running = marker();
    const steps: OpenStep[] = [
      { step: "endless" },
      { step: `${call}-touch`, value: running },
      { step: `${call}-wait-cancel` },
    ];
    const model = await runtime.openModel({ path: openScript(steps) });
    const session = await model.createSession();
    const controller = new AbortController();
    const { signal } = controller;
    const calling = call === "decode" ? session.decode(1, undefined, { signal }) : session.prefill([1, 2], { signal });
    await reached(running);
    controller.abort();
    await expect(calling).rejects.toMatchObject({ code: "CANCELLED", nativeWork: "stopped" });
    await session.reset();
    await session.close();
    await model.close();
  });

  it("a call that waits behind another one is never started", async () => {
    const running = marker();
    const model = await runtime.openModel({
      path: openScript([
        { step: "endless" },
        { step: "decode-touch", value: running },
        { step: "decode-sleep", count: 200 },
      ]),
    });
    const session = await model.createSession();
    const first = session.decode(1);
    const controller = new AbortController();
    const second = session.prefill([1, 2, 3], { signal: controller.signal });
    await reached(running);
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: "CANCELLED", nativeWork: "not-started" });
    await first;
    expect(session.position).toBe(1);
    await session.close();
    await model.close();
  });

  it("a generation ends with the signal's error and leaves the session usable", async () => {
    const model = await runtime.openModel({ path: openScript([{ step: "endless" }, { step: "text", value: "ab" }]) });
    const session = await model.createSession();
    const controller = new AbortController();
    const pieces: string[] = [];
    const generating = (async () => {
      for await (const piece of session.generate([1], { signal: controller.signal })) {
        pieces.push(piece);
        if (pieces.length === 3) controller.abort();
      }
    })();
    await expect(generating).rejects.toMatchObject({ code: "CANCELLED" });
    expect(pieces).toHaveLength(3);
    await session.reset();
    expect(await session.decode(1)).toBe(97);
    await model.close();
    await session.close();
  });
});
