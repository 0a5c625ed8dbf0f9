import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ACTIVE_INTERVAL_MS, RuntimeEventStream } from "../../src/index.ts";
import { ReporterHub } from "../../src/subscribe/hub.ts";
import { SimulatedReporter, simulatedSource } from "./simulated-reporter.ts";

let reporter: SimulatedReporter;
let hub: ReporterHub;

beforeEach(() => {
  vi.useFakeTimers();
  reporter = new SimulatedReporter();
  hub = new ReporterHub(simulatedSource(reporter));
});
afterEach(() => {
  vi.useRealTimers();
});

async function open(capacity = 1_024, signal?: AbortSignal): Promise<RuntimeEventStream> {
  const stream = new RuntimeEventStream(capacity, signal);
  stream.connect(await hub.add(stream.subscriber(false)));
  return stream;
}

function produce(from: number, to: number): void {
  for (let i = from; i <= to; i += 1) reporter.push(BigInt(i));
  vi.advanceTimersByTime(ACTIVE_INTERVAL_MS);
}

const nothingLeft = { subscribers: 0, generations: 1, installed: false };

describe("a stream of events", () => {
  it("gives everything back when its loop is left by break", async () => {
    const stream = await open();
    produce(1, 3);
    const seen: bigint[] = [];
    for await (const item of stream) {
      if (item.kind !== "lost") seen.push(item.sequence);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual([1n, 2n]);
    expect(hub.counters()).toEqual(nothingLeft);
    expect(reporter.cleared).toBe(1);
    expect(stream.counters()).toEqual({ delivered: 2, lost: 0, buffered: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives everything back when its loop throws", async () => {
    const stream = await open();
    produce(1, 1);
    const loop = async (): Promise<void> => {
      for await (const item of stream) throw new Error(`stopped at ${item.kind}`);
    };
    await expect(loop()).rejects.toThrow("stopped at diagnostic-warning-cleared");
    expect(hub.counters()).toEqual(nothingLeft);
  });

  it("ends a reader that waits when it is closed, and closing twice is closing once", async () => {
    const stream = await open();
    const waiting = stream.next();
    await Promise.all([stream.close(), stream.close(), stream.return()]);
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(reporter.cleared).toBe(1);
    expect(hub.counters()).toEqual(nothingLeft);
  });

  it("ends with an AbortError that names the reason when its signal fires, with a reader waiting or not", async () => {
    for (const waits of [true, false]) {
      reporter = new SimulatedReporter();
      hub = new ReporterHub(simulatedSource(reporter));
      const controller = new AbortController();
      const stream = await open(8, controller.signal);
      const waiting = waits ? stream.next() : undefined;
      // The rejection is looked at below; a handler now keeps it from counting as unhandled.
      waiting?.catch(() => undefined);
      const reason = new Error("enough");
      controller.abort(reason);
      await expect(waiting ?? stream.next()).rejects.toMatchObject({ name: "AbortError", cause: reason });
      expect(await stream.next()).toEqual({ done: true, value: undefined });
      await stream.close();
      expect(hub.counters()).toEqual(nothingLeft);
      expect(reporter.cleared).toBe(1);
    }
  });

  it("is bounded: a reader that stands still loses the newest events and finds the loss in their place", async () => {
    const stream = await open(4);
    const other = await open(1_000);
    produce(1, 100);
    expect(stream.counters()).toEqual({ delivered: 0, lost: 96, buffered: 4 });
    expect(other.counters()).toEqual({ delivered: 0, lost: 0, buffered: 100 });
    const seen: unknown[] = [];
    for (let i = 0; i < 5; i += 1) {
      const { value } = await stream.next();
      seen.push(value?.kind === "lost" ? value : value?.sequence);
    }
    expect(seen).toEqual([1n, 2n, 3n, 4n, { kind: "lost", reason: "subscriber-full", count: 96 }]);
  });

  it("serves overlapping reads in their order, once each", async () => {
    const stream = await open();
    const reads = [stream.next(), stream.next(), stream.next()];
    produce(1, 3);
    const items = await Promise.all(reads);
    expect(items.map(({ value }) => (value?.kind === "lost" ? undefined : value?.sequence))).toEqual([1n, 2n, 3n]);
  });
});
