import { existsSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Model, Runtime } from "@mesh/ffi/runtime";
import { type OpenStep, openScript } from "@mesh/testkit";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { kindRuns, type ObservedOpen, observeModelOpen, type RuntimeEvent } from "../../src/index.ts";
import { loadFaultRuntime } from "../fault-runtime.ts";

let runtime: Runtime;
beforeAll(async () => {
  runtime = await loadFaultRuntime("good");
}, 120_000);

/** Opens by script, closes what was opened, and gives everything that was seen. */
async function open(
  steps: readonly OpenStep[],
  capacity?: number,
): Promise<ObservedOpen<Model> & { events: RuntimeEvent[] }> {
  const events: RuntimeEvent[] = [];
  const observed = await observeModelOpen(
    runtime,
    { path: openScript(steps) },
    { onEvent: (event) => events.push(event), ...(capacity === undefined ? {} : { capacity }) },
  );
  if (observed.result.kind === "opened") await observed.result.model.close();
  return { ...observed, events };
}

const STARTED: OpenStep = { step: "started" };
const FINISHED: OpenStep = { step: "finished" };

describe("a well-behaved open", () => {
  it("delivers every event in order, STARTED first and FINISHED last, with nothing lost", async () => {
    const events: RuntimeEvent[] = [];
    const { result, observation } = await observeModelOpen(
      runtime,
      { path: "/models/sound.gguf" },
      { onEvent: (event) => events.push(event) },
    );
    expect(result.kind).toBe("opened");
    expect(kindRuns(events).map(({ kind, count }) => `${kind} x${count}`)).toEqual([
      "model-open-started x1",
      "model-open-progress x10",
      "backend-device-selected x1",
      "model-load-phase-changed x1",
      "model-load-tokenizer-ready x1",
      "model-open-finished x1",
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => BigInt(index + 1)));
    expect(events.every(({ abiVersion, structSize }) => abiVersion === 1 && structSize >= 112)).toBe(true);
    expect(events[0]?.detail.text).toBe("/models/sound.gguf");
    expect(observation).toMatchObject({
      drained: 15,
      lost: 0,
      sawFinished: true,
      missingTerminal: false,
      contradictions: [],
    });
    if (result.kind === "opened") await result.model.close();
  });

  it("is seen while it is still blocked in native code", async () => {
    const gate = join(await mkdtemp(join(tmpdir(), "observe-")), "go on");
    const seenWhileBlocked: string[] = [];
    const { result } = await observeModelOpen(
      runtime,
      { path: openScript([STARTED, { step: "progress", count: 3 }, { step: "wait-file", value: gate }, FINISHED]) },
      {
        onEvent(event) {
          if (existsSync(gate)) return;
          seenWhileBlocked.push(event.kind);
          // The native open goes on only when its third progress event has arrived here.
          if (seenWhileBlocked.length === 4) void writeFile(gate, "");
        },
      },
    );
    expect(result.kind).toBe("opened");
    expect(seenWhileBlocked).toEqual(["model-open-started", ...Array.from({ length: 3 }, () => "model-open-progress")]);
    if (result.kind === "opened") await result.model.close();
  });

  it("loses nothing of the worst case it is made for, even if nothing is drained before it ends", async () => {
    const { observation, events } = await open([
      STARTED,
      { step: "progress", count: 1_000 },
      { step: "structured" },
      FINISHED,
    ]);
    expect(events).toHaveLength(1_004);
    expect(events.at(-1)?.kind).toBe("model-open-finished");
    expect(observation).toMatchObject({ drained: 1_004, lost: 0, lastSequence: 1_004n });
  });
});

describe("the return value is the truth", () => {
  it("FINISHED and then a failure is a failure, and reported", async () => {
    const { result, observation } = await open([STARTED, FINISHED, { step: "return", value: 6 }]);
    expect(result.kind).toBe("failed");
    expect(observation.contradictions).toEqual(["finished-but-failed"]);
  });

  it("FAILED_HANDLED and then a model is a model, and reported", async () => {
    const { result, observation } = await open([STARTED, { step: "failed", count: 6 }]);
    expect(result.kind).toBe("opened");
    expect(observation.contradictions).toEqual(["failed-handled-but-opened"]);
  });

  it("no terminal event is normal", async () => {
    const { result, observation } = await open([STARTED]);
    expect(result.kind).toBe("opened");
    expect(observation).toMatchObject({ missingTerminal: true, contradictions: [] });
  });

  it("OK without a handle is a failure", async () => {
    const { result, observation } = await open([STARTED, FINISHED, { step: "return", value: "null-handle" }]);
    expect(result).toMatchObject({ kind: "failed", error: { code: "RUNTIME_NULL_HANDLE" } });
    expect(observation.contradictions).toEqual(["finished-but-failed"]);
  });

  it("a failed open is drained to its last event, with the status, the failure code and the native message", async () => {
    const { result, observation, events } = await open([
      STARTED,
      { step: "progress", count: 500 },
      { step: "fail", count: 6 },
    ]);
    expect(result).toMatchObject({ kind: "failed", error: { code: "MODEL_OPEN_FAILED" } });
    expect(events.at(-1)).toMatchObject({
      kind: "model-open-failed-handled",
      status: "model-error",
      failureCode: "model-error",
    });
    expect(events.at(-1)?.detail.text).toBe("failed to load llama model");
    expect(observation).toMatchObject({ drained: 502, lost: 0, sawFailedHandled: true, contradictions: [] });
  });
});

describe("what a runtime may send", () => {
  it("malformed events are refused, counted, and leave a gap that the count explains", async () => {
    const { observation } = await open([
      STARTED,
      { step: "event", fields: { size: 8 } },
      { step: "event", fields: { abi: 2 } },
      { step: "event", fields: { length: 2n ** 20n + 1n, nullDetail: true } },
      { step: "null-event", count: 1 },
      FINISHED,
    ]);
    expect(observation).toMatchObject({ drained: 2, rejected: 4, dropped: 0, lost: 4, missingSequences: 3n });
    expect(observation.contradictions).toEqual([]);
  });

  it("details of any length arrive cut to 256 bytes, with the flag, and a cut character is left off", async () => {
    const { events } = await open([
      { step: "event", fields: { kind: 400, fill: 256 } },
      { step: "event", fields: { kind: 400, fill: 257 } },
      { step: "event", fields: { kind: 400, fill: 2 ** 20 } },
      { step: "event", fields: { kind: 400, nullDetail: true, length: 9n } },
      { step: "event", fields: { kind: 400, detail: `${"x".repeat(255)}é` } },
    ]);
    expect(events.map(({ detail }) => [detail.bytes.length, detail.truncated, detail.text.length])).toEqual([
      [256, false, 256],
      [256, true, 256],
      [256, true, 256],
      [0, true, 0],
      [256, true, 255],
    ]);
  });

  it("the numeric summary is absent below 144 bytes and present from there on", async () => {
    const sizes = [112, 120, 143, 144, 160];
    const { events } = await open(
      sizes.map((size) => ({ step: "event", fields: { kind: 100, size, n0: 7n, n3: 2n ** 64n - 1n } })),
    );
    expect(events.map(({ structSize }) => structSize)).toEqual(sizes);
    const absent = [undefined, undefined, undefined, undefined];
    const present = [7n, 0n, 0n, 2n ** 64n - 1n];
    expect(events.map(({ numericSummary }) => numericSummary)).toEqual([absent, absent, absent, present, present]);
  });

  it("whatever numbers it puts into the fields come out of the decoder", async () => {
    const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    const u32 = fc.nat({ max: 0xffff_ffff });
    const fields = fc.record({
      kind: u32,
      category: u32,
      emitter: u32,
      unit: u32,
      failure: u32,
      status: fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }),
      timestamp: u64,
      model: u64,
      stage: u64,
      session: u64,
      current: u64,
      total: u64,
      n0: u64,
      n1: u64,
      detail: fc.uint8Array({ maxLength: 64 }).map((bytes) => bytes.filter((byte) => byte !== 0)),
    });
    const codeOf = (value: unknown): unknown =>
      typeof value === "object" && value !== null && "raw" in value ? value.raw : value;
    await fc.assert(
      fc.asyncProperty(fc.array(fields, { minLength: 1, maxLength: 10 }), async (all) => {
        const { events } = await open(all.map((one) => ({ step: "event", fields: one })));
        expect(events).toHaveLength(all.length);
        events.forEach((event, index) => {
          const sent = all[index];
          if (sent === undefined) throw new Error("an event that was not sent");
          expect(event).toMatchObject({
            timestampMonotonicNs: sent.timestamp,
            modelId: sent.model,
            stageId: sent.stage,
            sessionId: sent.session,
          });
          expect([event.progress.current, event.progress.total]).toEqual([sent.current, sent.total]);
          expect(event.numericSummary).toEqual([sent.n0, sent.n1, 0n, 0n]);
          expect(Array.from(event.detail.bytes)).toEqual(Array.from(sent.detail));
          if (event.kind === "unknown") expect(event.raw).toBe(sent.kind);
          if (sent.category > 8) expect(codeOf(event.category)).toBe(sent.category);
          if (sent.status < 0) expect(codeOf(event.status)).toBe(sent.status);
        });
      }),
      { numRuns: 40 },
    );
  });

  it("events from eight threads at once all arrive, each once", async () => {
    const { events, observation } = await open([{ step: "threads", fields: { threads: 8, countPerThread: 100 } }]);
    const sequences = events.map(({ sequence }) => Number(sequence)).sort((a, b) => a - b);
    expect(sequences).toEqual(Array.from({ length: 800 }, (_, index) => index + 1));
    expect(observation.lost).toBe(0);
  });

  it("a callback after the return is counted by nobody here and breaks nothing", async () => {
    const { result } = await open([STARTED, { step: "late", milliseconds: 5, count: 3 }, FINISHED]);
    expect(result.kind).toBe("opened");
    // The next opens share the process with the late callbacks.
    for (let i = 0; i < 5; i += 1)
      expect((await open([STARTED, { step: "sleep", count: 3 }, FINISHED])).observation.lost).toBe(0);
  });
});

describe("a small queue", () => {
  it("keeps the oldest, counts the rest, and still holds the terminal event", async () => {
    const { observation, events } = await open([STARTED, { step: "progress", count: 1_000 }, FINISHED], 1);
    expect(events[0]?.kind).toBe("model-open-started");
    expect(events.at(-1)?.kind).toBe("model-open-finished");
    expect(observation.drained + observation.dropped).toBe(1_002);
    expect(observation).toMatchObject({ rejected: 0, missingTerminal: false, contradictions: [] });
    expect(observation.missingSequences).toBe(BigInt(observation.dropped));
  });

  it("never loses an event uncounted, whatever is sent", async () => {
    const steps = fc.array(
      fc.oneof(
        fc
          .record({ step: fc.constant("progress" as const), count: fc.nat({ max: 40 }) })
          .filter(({ count }) => count > 0),
        fc.record({ step: fc.constant("null-event" as const), count: fc.integer({ min: 1, max: 3 }) }),
        fc.constant({ step: "sleep" as const, count: 5 }),
        fc.constant({ step: "finished" as const }),
        fc.constant({ step: "failed" as const, count: 6 }),
      ),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 30 }), async (plan, capacity) => {
        const { observation } = await open(plan, capacity);
        const offered = plan.reduce(
          (sum, one) => sum + (one.step === "sleep" ? 0 : "count" in one && one.step !== "failed" ? one.count : 1),
          0,
        );
        expect(observation.drained + observation.lost).toBe(offered);
        const terminals = plan.some(({ step }) => step === "finished" || step === "failed");
        expect(observation.missingTerminal).toBe(!terminals);
      }),
      { numRuns: 60 },
    );
  });
});

describe("bad input", () => {
  it("is refused before anything starts", async () => {
    const notAFunction: unknown = "nothing";
    await expect(
      // A JavaScript caller can pass anything.
      observeModelOpen(runtime, { path: "/models/any.gguf" }, { onEvent: notAFunction as () => void }),
    ).rejects.toMatchObject({ code: "INVALID_OPTION", found: "string" });
    await expect(
      observeModelOpen(runtime, { path: "/models/any.gguf" }, { onEvent: () => undefined, capacity: 0 }),
    ).rejects.toMatchObject({ code: "ARGUMENT_INVALID" });
  });
});
