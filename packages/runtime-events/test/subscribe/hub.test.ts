import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ACTIVE_INTERVAL_MS, IDLE_INTERVAL_MS_MAX, type StreamItem } from "../../src/index.ts";
import { ReporterHub, type Subscriber } from "../../src/subscribe/hub.ts";
import { SimulatedReporter, simulatedSource } from "./simulated-reporter.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

class Listener implements Subscriber {
  readonly keepAlive = false;
  readonly seen: number[] = [];
  readonly errors: unknown[] = [];

  offer(item: StreamItem): void {
    this.seen.push(item.kind === "lost" ? -item.count : Number(item.sequence));
  }

  fail(error: unknown): void {
    this.errors.push(error);
  }
}

describe("the hub of a runtime", () => {
  it("installs with the first subscriber, clears with the last, and has no timer without one", async () => {
    const reporter = new SimulatedReporter();
    const source = simulatedSource(reporter);
    const hub = new ReporterHub(source);
    expect(vi.getTimerCount()).toBe(0);
    const leaves = [await hub.add(new Listener()), await hub.add(new Listener())];
    expect(hub.counters()).toEqual({ subscribers: 2, generations: 1, installed: true });
    expect(source.installs).toBe(1);
    expect(vi.getTimerCount()).toBe(1);
    await leaves[0]?.();
    expect(reporter.cleared).toBe(0);
    await leaves[1]?.();
    expect(reporter.cleared).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(hub.counters()).toEqual({ subscribers: 0, generations: 1, installed: false });
  });

  it("gives everything to every subscriber", async () => {
    const reporter = new SimulatedReporter();
    const hub = new ReporterHub(simulatedSource(reporter));
    const listeners = [new Listener(), new Listener(), new Listener()];
    for (const listener of listeners) await hub.add(listener);
    for (let i = 1; i <= 600; i += 1) reporter.push(BigInt(i));
    vi.advanceTimersByTime(ACTIVE_INTERVAL_MS);
    const all = Array.from({ length: 600 }, (_, index) => index + 1);
    expect(listeners.map(({ seen }) => seen)).toEqual([all, all, all]);
  });

  it("marks what the ring dropped exactly behind what it held, and what came after behind the mark", async () => {
    const reporter = new SimulatedReporter(300);
    const hub = new ReporterHub(simulatedSource(reporter));
    const listener = new Listener();
    await hub.add(listener);
    for (let i = 1; i <= 307; i += 1) reporter.push(BigInt(i));
    reporter.reject();
    // The drain itself makes room, and the runtime goes on meanwhile.
    reporter.afterDrain = () => {
      reporter.push(308n);
    };
    vi.advanceTimersByTime(ACTIVE_INTERVAL_MS * 2);
    expect(listener.seen.slice(298)).toEqual([299, 300, -7, -1, 308]);
  });

  it("marks events that came while the ring was closed, once and with their reason", async () => {
    const reporter = new SimulatedReporter();
    const hub = new ReporterHub(simulatedSource(reporter));
    const items: StreamItem[] = [];
    await hub.add({ keepAlive: false, offer: (item) => items.push(item), fail: () => undefined });
    reporter.pushLate();
    reporter.pushLate();
    vi.advanceTimersByTime(ACTIVE_INTERVAL_MS * 4);
    expect(items).toEqual([{ kind: "lost", reason: "ring-closed", count: 2 }]);
  });

  it("leaves an empty ring behind, so that the next owner of the reporter gets nothing of this one", async () => {
    const reporter = new SimulatedReporter();
    const hub = new ReporterHub(simulatedSource(reporter));
    const leave = await hub.add(new Listener());
    for (let i = 1; i <= 600; i += 1) reporter.push(BigInt(i));
    await leave();
    expect(reporter.counters().queued).toBe(0);
  });

  it.each([
    ["is the new owner's business when the ring has one already", "REPORTER_REPLACED", "fulfilled"],
    ["is told to whoever leaves, whatever else it is", "ARGUMENT_INVALID", "rejected"],
  ])("a ring that cannot be emptied after the clear %s", async (_name, code, outcome) => {
    const reporter = new SimulatedReporter();
    const hub = new ReporterHub(simulatedSource(reporter));
    const leave = await hub.add(new Listener());
    reporter.push(1n);
    reporter.failure = Object.assign(new Error("no drain"), { code });
    const [settled] = await Promise.allSettled([leave()]);
    expect(settled.status).toBe(outcome);
    expect(reporter.cleared).toBe(1);
    expect(hub.counters()).toMatchObject({ subscribers: 0, installed: false });
  });

  it("drains every 20 ms while records arrive or an open runs, and backs off to 250 ms when nothing does", async () => {
    const reporter = new SimulatedReporter();
    const source = simulatedSource(reporter);
    const hub = new ReporterHub(source);
    await hub.add(new Listener());
    const countersRead = vi.spyOn(reporter, "counters");
    const ticksIn = (milliseconds: number): number => {
      countersRead.mockClear();
      vi.advanceTimersByTime(milliseconds);
      return countersRead.mock.calls.length;
    };
    // Idle: after 20, 40, 80 and 160 ms, then every 250.
    expect(ticksIn(20 + 40 + 80 + 160)).toBe(4);
    expect(ticksIn(IDLE_INTERVAL_MS_MAX * 4)).toBe(4);
    source.busy = true;
    vi.advanceTimersByTime(IDLE_INTERVAL_MS_MAX);
    expect(ticksIn(200)).toBe(10);
    source.busy = false;
    vi.advanceTimersByTime(IDLE_INTERVAL_MS_MAX * 4);
    for (const sequence of [1n, 2n, 3n]) {
      reporter.push(sequence);
      // The first is found by an idle tick, the next ones by ticks that the one before has quickened.
      if (sequence === 1n) vi.advanceTimersToNextTimer();
      else expect(ticksIn(ACTIVE_INTERVAL_MS)).toBe(1);
    }
  });

  it("lets one who comes while the last one leaves wait for the clear, and gives it nothing of the old generation", async () => {
    const reporter = new SimulatedReporter();
    const source = simulatedSource(reporter);
    const hub = new ReporterHub(source);
    const first = new Listener();
    const leave = await hub.add(first);
    reporter.push(1n);
    let finishClear = (): void => undefined;
    reporter.clearing = new Promise((resolve) => {
      finishClear = resolve;
    });
    const leaving = leave();
    const second = new Listener();
    const joining = hub.add(second);
    await vi.advanceTimersByTimeAsync(ACTIVE_INTERVAL_MS * 10);
    expect(source.installs).toBe(1);
    finishClear();
    await leaving;
    await joining;
    expect(source.installs).toBe(2);
    expect(hub.counters()).toMatchObject({ generations: 2, subscribers: 1 });
    reporter.push(2n);
    vi.advanceTimersByTime(ACTIVE_INTERVAL_MS);
    expect(first.seen).toEqual([]);
    expect(second.seen).toEqual([2]);
  });

  it("begins with an empty ring, whatever an owner that died without clearing has left in it", async () => {
    const reporter = new SimulatedReporter(300);
    for (let i = 1; i <= 400; i += 1) reporter.push(BigInt(i));
    const hub = new ReporterHub(simulatedSource(reporter));
    const listener = new Listener();
    await hub.add(listener);
    // A ring that were still full would drop these before the first drain.
    for (let i = 401; i <= 700; i += 1) reporter.push(BigInt(i));
    vi.advanceTimersByTime(ACTIVE_INTERVAL_MS);
    expect(listener.seen).toEqual(Array.from({ length: 300 }, (_, index) => 401 + index));
  });

  it("tells every subscriber when the ring is taken away, and pumps no more", async () => {
    const reporter = new SimulatedReporter();
    const hub = new ReporterHub(simulatedSource(reporter));
    const listeners = [new Listener(), new Listener()];
    for (const listener of listeners) await hub.add(listener);
    reporter.push(1n);
    reporter.failure = new Error("replaced");
    vi.advanceTimersByTime(ACTIVE_INTERVAL_MS);
    expect(listeners.map(({ errors }) => errors)).toEqual([[reporter.failure], [reporter.failure]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves nothing behind when the reporter cannot be installed, and can be tried again", async () => {
    const source = simulatedSource(new SimulatedReporter());
    const hub = new ReporterHub(source);
    const refusal = new Error("owned by another");
    vi.spyOn(source, "install").mockRejectedValueOnce(refusal);
    await expect(hub.add(new Listener())).rejects.toBe(refusal);
    expect(hub.counters()).toMatchObject({ subscribers: 0, installed: false });
    expect(vi.getTimerCount()).toBe(0);
    await hub.add(new Listener());
    expect(hub.counters()).toMatchObject({ subscribers: 1, installed: true });
  });
});
