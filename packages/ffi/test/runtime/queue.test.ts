import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildFaultRuntime, openScript, type OpenStep, type RawEventFields } from "@mesh/testkit";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { EVENT_DETAIL_BYTES_MAX, RECORD_BYTES, RECORD_DETAIL_BYTES_MAX } from "../../src/abi/layout.ts";
import { droppedCount, type RingCounters, rejectedCount } from "../../src/runtime/counters.ts";
import { openRuntime } from "../../src/runtime/open-runtime.ts";
import type { ModelOpenQueue } from "../../src/runtime/queue.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { drainAll, type SeenRecord } from "./records.ts";

const FINISHED = 4;
const FAILED_HANDLED = 5;

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime(await buildFaultRuntime("good"));
});

/** Opens with these steps and leaves everything in the queue. */
async function opened(steps: readonly OpenStep[], capacity?: number): Promise<ModelOpenQueue> {
  const queue = runtime.createModelOpenQueue(capacity === undefined ? {} : { capacity });
  await (await runtime.openModel({ path: openScript(steps), queue })).close();
  return queue;
}

async function recorded(fields: RawEventFields): Promise<{ record: SeenRecord | undefined; counters: RingCounters }> {
  const queue = await opened([{ step: "event", fields: { kind: 2, ...fields } }]);
  const [record] = drainAll(queue);
  return { record, counters: queue.counters() };
}

function expectConserved(counters: RingCounters): void {
  const { offered, accepted, drained, queued } = counters;
  expect(accepted + droppedCount(counters) + rejectedCount(counters)).toBe(offered);
  expect(drained + queued).toBe(accepted);
}

describe("a malformed event is refused, counted by its cause, and queues nothing", () => {
  it.each<[string, keyof RingCounters, OpenStep]>([
    ["no event", "rejectedNull", { step: "null-event", count: 3 }],
    ["111 bytes", "rejectedShortStruct", { step: "event", fields: { size: 111, count: 3 } }],
    ["8 bytes", "rejectedShortStruct", { step: "event", fields: { size: 8, count: 3 } }],
    ["version 2", "rejectedAbiVersion", { step: "event", fields: { abi: 2, count: 3 } }],
    [
      "1 MiB and a byte",
      "rejectedOversizedDetail",
      { step: "event", fields: { length: BigInt(EVENT_DETAIL_BYTES_MAX) + 1n, count: 3 } },
    ],
    [
      "2^64 - 1 bytes of nothing",
      "rejectedOversizedDetail",
      { step: "event", fields: { length: 2n ** 64n - 1n, nullDetail: true, count: 3 } },
    ],
  ])("%s is counted as %s", async (_, cause, step) => {
    const counters = (await opened([step])).counters();
    expect(counters).toMatchObject({ offered: 3, accepted: 0, [cause]: 3, queued: 0 });
    expect(rejectedCount(counters)).toBe(3);
    expectConserved(counters);
  });

  it("the size is checked before the version, and the version before the detail", async () => {
    const short = await opened([{ step: "event", fields: { size: 111, abi: 2, length: 2n ** 64n - 1n } }]);
    expect(short.counters()).toMatchObject({ rejectedShortStruct: 1, rejectedAbiVersion: 0 });
    const other = await opened([{ step: "event", fields: { abi: 2, length: 2n ** 64n - 1n, nullDetail: true } }]);
    expect(other.counters()).toMatchObject({ rejectedAbiVersion: 1, rejectedOversizedDetail: 0 });
  });
});

describe("what of an event is kept", () => {
  it.each([
    [112, "absent"],
    [120, "absent"],
    [143, "absent"],
    [144, [1n, 2n, 3n, 2n ** 64n - 1n]],
    [160, [1n, 2n, 3n, 2n ** 64n - 1n]],
  ] as const)("a struct of %i bytes has its summaries or none", async (size, summary) => {
    const { record } = await recorded({ size, n0: 1n, n1: 2n, n2: 3n, n3: 2n ** 64n - 1n });
    expect(record).toMatchObject({ structSize: size, summary });
  });

  it("numbers nobody knows survive", async () => {
    const { record } = await recorded({ kind: 9999, category: 77, status: -5, failure: 4_000_000_000 });
    expect(record).toMatchObject({ kind: 9999, category: 77, status: -5, failureCode: 4_000_000_000 });
  });

  it.each([0, 1, 255, 256])("a detail of %i bytes is whole", async (fill) => {
    const { record, counters } = await recorded({ fill });
    expect(record?.detail.length).toBe(fill);
    expect(record?.truncated).toBe(false);
    expect(counters.truncatedDetail).toBe(0);
  });

  it.each([257, 768, 65_536, EVENT_DETAIL_BYTES_MAX])("a detail of %i bytes is cut and flagged", async (fill) => {
    const { record, counters } = await recorded({ fill });
    expect(record?.detail.length).toBe(RECORD_DETAIL_BYTES_MAX);
    expect(record?.truncated).toBe(true);
    expect(counters).toMatchObject({ accepted: 1, truncatedDetail: 1 });
  });

  it("a null detail with a length has no bytes and says that some are missing", async () => {
    const { record } = await recorded({ nullDetail: true, length: 10n });
    expect(record?.detail.length).toBe(0);
    expect(record?.truncated).toBe(true);
  });

  it("the cut is a cut of bytes, in the middle of a character if need be", async () => {
    const { record } = await recorded({ detail: `${"x".repeat(255)}é` });
    expect(record?.detail.at(-1)).toBe(0xc3);
  });

  it("nothing of an earlier event shows through a shorter one in the same cell", async () => {
    // A queue of one: the second event takes the cell of the first as soon as that is drained, in the same open.
    const gate = join(mkdtempSync(join(tmpdir(), "mesh-ffi-cell-")), "gate");
    const queue = runtime.createModelOpenQueue({ capacity: 1 });
    const steps: OpenStep[] = [
      { step: "event", fields: { kind: 2, size: 144, n0: 7n, fill: 256 } },
      { step: "wait-file", value: gate },
      { step: "event", fields: { kind: 2, size: 112, detail: "ab" } },
    ];
    const opening = runtime.openModel({ path: openScript(steps), queue });
    await expect.poll(() => queue.counters().queued, { timeout: 30_000 }).toBe(1);
    expect(drainAll(queue)).toMatchObject([{ summary: [7n, 0n, 0n, 0n], detail: { length: 256 } }]);
    writeFileSync(gate, "");
    await (await opening).close();
    const [record] = drainAll(queue);
    expect(record?.detail).toEqual(new TextEncoder().encode("ab"));
    expect(record?.rawDetail.slice(2).every((byte) => byte === 0)).toBe(true);
    expect(record?.summary).toBe("absent");
  });
});

describe("a full queue drops the newest and keeps how the open ended", () => {
  it.each([1, 2, 3, 64, 1064])("capacity %i holds as many others beside the terminal event", async (capacity) => {
    const extra = 25;
    const queue = await opened(
      [{ step: "event", fields: { kind: 2, count: capacity + extra } }, { step: "finished" }],
      capacity,
    );
    const counters = queue.counters();
    expect(counters).toMatchObject({ accepted: capacity + 1, droppedFull: extra, queued: capacity + 1 });
    const records = drainAll(queue);
    expect(records).toHaveLength(capacity + 1);
    expect(records.at(-1)?.kind).toBe(FINISHED);
    expect(records.slice(0, -1).every((record) => record.kind === 2)).toBe(true);
    expectConserved(queue.counters());
  });

  it("the first terminal event that finds it full is the one kept; a second is dropped and counted", async () => {
    const queue = await opened(
      [{ step: "event", fields: { kind: 2, count: 4 } }, { step: "failed", count: 6 }, { step: "finished" }],
      4,
    );
    expect(queue.counters()).toMatchObject({ accepted: 5, droppedFull: 1 });
    expect(drainAll(queue).map((record) => record.kind)).toEqual([2, 2, 2, 2, FAILED_HANDLED]);
  });

  it("a terminal event that finds room takes it, in order", async () => {
    const queue = await opened([{ step: "started" }, { step: "finished" }, { step: "progress", count: 1 }], 8);
    expect(drainAll(queue).map((record) => record.kind)).toEqual([1, FINISHED, 2]);
  });

  it("the default capacity holds a worst-case open without a drain", async () => {
    const queue = await opened([
      { step: "started" },
      { step: "progress", count: 1000 },
      { step: "backend", value: "CPU" },
      { step: "structured" },
      { step: "finished" },
    ]);
    expect(queue.counters().droppedFull).toBe(0);
    const records = drainAll(queue);
    expect(records[0]?.kind).toBe(1);
    expect(records.at(-1)?.kind).toBe(FINISHED);
    expect(records.every((record, index) => record.sequence === BigInt(index + 1))).toBe(true);
  });

  it("draining is bounded, ordered, and gives room back", async () => {
    const queue = await opened([{ step: "progress", count: 10 }], 10);
    const buffer = new Uint8Array(4 * RECORD_BYTES);
    expect(queue.drainInto(buffer, 4)).toBe(4);
    expect(queue.drainInto(buffer, 0)).toBe(0);
    expect(drainAll(queue).map((record) => record.sequence)).toEqual([5n, 6n, 7n, 8n, 9n, 10n]);
  });
});

describe("counters under any interleaving of threads and drains", () => {
  it("many threads: what was accepted comes out once, and every sum holds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 64 }),
        async (threads, countPerThread, capacity, step) => {
          const queue = runtime.createModelOpenQueue({ capacity });
          const steps: OpenStep[] = [
            { step: "threads", fields: { threads, countPerThread, kind: 2 } },
            { step: "null-event", count: 2 },
            { step: "finished" },
          ];
          const opening = runtime.openModel({ path: openScript(steps), queue });
          const records: SeenRecord[] = [];
          const draining = setInterval(() => records.push(...drainAll(queue, step)), 0);
          await (await opening).close();
          clearInterval(draining);
          records.push(...drainAll(queue, step));
          const counters = queue.counters();
          expect(counters).toMatchObject({ offered: threads * countPerThread + 3, rejectedNull: 2, queued: 0 });
          expect(counters.drained).toBe(records.length);
          expect(records.filter((record) => record.kind === FINISHED)).toHaveLength(1);
          expectConserved(counters);
          queue.close();
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("the life of a queue", () => {
  it("serves one open", async () => {
    const queue = await opened([{ step: "finished" }]);
    await expect(runtime.openModel({ path: openScript([]), queue })).rejects.toMatchObject({
      code: "QUEUE_ALREADY_USED",
    });
  });

  it("outlives the open, and is of no use once closed", async () => {
    const queue = await opened([{ step: "finished" }]);
    queue.close();
    queue.close();
    expect(() => queue.counters()).toThrow(expect.objectContaining({ code: "QUEUE_CLOSED" }));
    expect(() => drainAll(queue)).toThrow(expect.objectContaining({ code: "QUEUE_CLOSED" }));
    await expect(runtime.openModel({ path: openScript([]), queue })).rejects.toMatchObject({ code: "QUEUE_CLOSED" });
  });

  it("may be closed while its open runs: the rest is counted nowhere and harms nobody", async () => {
    const queue = runtime.createModelOpenQueue();
    const opening = runtime.openModel({
      path: openScript([{ step: "threads", fields: { threads: 4, countPerThread: 20_000 } }]),
      queue,
    });
    queue.close();
    await (await opening).close();
  });

  it("a callback after the open returned is counted and dropped, also when the queue is long closed", async () => {
    const queue = await opened([{ step: "finished" }, { step: "late", milliseconds: 20, count: 5 }]);
    await expect.poll(() => queue.counters().droppedClosed, { timeout: 30_000 }).toBe(5);
    expect(drainAll(queue)).toHaveLength(1);
    expectConserved(queue.counters());
    const closed = await opened([{ step: "late", milliseconds: 20, count: 5 }]);
    closed.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
  });

  it.each([0, -1, 1.5, 65_537, Number.NaN])("a capacity of %d is refused", (capacity) => {
    expect(() => runtime.createModelOpenQueue({ capacity })).toThrow(
      expect.objectContaining({ code: "ARGUMENT_INVALID" }),
    );
  });

  it("a buffer without room is refused before anything is drained", async () => {
    const queue = await opened([{ step: "progress", count: 3 }]);
    expect(() => queue.drainInto(new Uint8Array(2 * RECORD_BYTES - 1), 2)).toThrow(
      expect.objectContaining({ code: "ARGUMENT_INVALID" }),
    );
    expect(queue.counters().drained).toBe(0);
  });
});
