import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DRAIN_INTERVAL_MS, type RuntimeEvent } from "../../src/index.ts";
import { observeOpen, TICK_RECORDS_MAX } from "../../src/observe/observe-open.ts";
import { rawRecord } from "../record.ts";
import { SimulatedQueue } from "./simulated-queue.ts";

const STARTED = rawRecord({ kind: 1 });
const PROGRESS = rawRecord({ kind: 2 });
const FINISHED = rawRecord({ kind: 4 });
const FAILED = rawRecord({ kind: 5, status: 6, failureCode: 3 });

const ignore = (): void => undefined;

class Cancellation extends Error {
  override readonly name = "AbortError";
}

afterEach(() => {
  vi.useRealTimers();
});

describe("observing an open", () => {
  it("delivers events while the open is still running", async () => {
    const queue = new SimulatedQueue();
    const seen: string[] = [];
    let finishOpen = ignore;
    const observed = observeOpen(
      queue,
      () => {
        queue.push(STARTED);
        return new Promise<string>((resolve) => {
          finishOpen = () => {
            seen.push("opened");
            resolve("model");
          };
        });
      },
      (event) => {
        seen.push(event.kind);
        // Only an event that came during the open lets it end.
        finishOpen();
      },
    );
    expect((await observed).result).toEqual({ kind: "opened", model: "model" });
    expect(seen).toEqual(["model-open-started", "opened"]);
  });

  const endings: [string, () => Promise<string>, string][] = [
    ["success", () => Promise.resolve("model"), "opened"],
    ["failure", () => Promise.reject(new Error("refused")), "failed"],
    ["cancellation", () => Promise.reject(new Cancellation("stop")), "cancelled"],
    [
      "a throw before anything was awaited",
      () => {
        throw new Error("thrown");
      },
      "failed",
    ],
  ];
  it.each(endings)("drains what came last before anybody sees the result: %s", async (_name, end, kind) => {
    const queue = new SimulatedQueue();
    const seen: RuntimeEvent[] = [];
    const { result, observation } = await observeOpen(
      queue,
      () => {
        for (let i = 0; i < 1_000; i += 1) queue.push(PROGRESS);
        queue.push(FINISHED);
        return end();
      },
      (event) => seen.push(event),
    );
    expect(result.kind).toBe(kind);
    expect(seen).toHaveLength(1_001);
    expect(observation).toMatchObject({ drained: 1_001, lost: 0, sawFinished: true, lastSequence: 1_001n });
    expect(queue).toMatchObject({ closed: true });
    expect(queue.counters().queued).toBe(0);
  });

  it("tells what came while the open ran from what its last drain found", async () => {
    vi.useFakeTimers();
    const queue = new SimulatedQueue();
    const seen: boolean[] = [];
    let finish: (model: string) => void = ignore;
    const observed = observeOpen(
      queue,
      () => new Promise<string>((resolve) => (finish = resolve)),
      (_event, opening) => seen.push(opening),
    );
    queue.push(PROGRESS);
    queue.push(PROGRESS);
    vi.advanceTimersByTime(DRAIN_INTERVAL_MS);
    queue.push(FINISHED);
    finish("model");
    const { observation } = await observed;
    expect(seen).toEqual([true, true, false]);
    expect(observation).toMatchObject({ drained: 3, drainedWhileOpening: 2 });
  });

  it("leaves no timer behind, and the one it uses does not keep a process alive", async () => {
    vi.useFakeTimers();
    const started = vi.spyOn(globalThis, "setInterval");
    const queue = new SimulatedQueue();
    let fail: (error: Error) => void = ignore;
    const observed = observeOpen(queue, () => new Promise<never>((_resolve, reject) => (fail = reject)), ignore);
    expect(vi.getTimerCount()).toBe(1);
    expect(started.mock.results.map((timer) => timer.type === "return" && timer.value.hasRef())).toEqual([false]);
    started.mockRestore();
    vi.advanceTimersByTime(DRAIN_INTERVAL_MS * 5);
    expect(queue.drains).toBe(5);
    fail(new Error("over"));
    await observed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("holds the event loop for a bounded number of events a tick, however fast they come", async () => {
    vi.useFakeTimers();
    const queue = new SimulatedQueue();
    let seen = 0;
    let end: (model: string) => void = ignore;
    const observed = observeOpen(
      queue,
      () => new Promise<string>((resolve) => (end = resolve)),
      (_event, opening) => {
        seen += 1;
        // A runtime that never pauses: each event that is taken makes room for the next one. The bound ends a test that fails.
        if (opening && seen < 4 * TICK_RECORDS_MAX) queue.push(PROGRESS);
      },
    );
    for (let i = 0; i < 1_000; i += 1) queue.push(PROGRESS);
    vi.advanceTimersByTime(DRAIN_INTERVAL_MS);
    expect(seen).toBe(TICK_RECORDS_MAX);
    end("model");
    expect((await observed).observation).toMatchObject({ drained: TICK_RECORDS_MAX + 1_000, lost: 0 });
  });

  it("costs a consumer that throws the event it threw over and nothing else, and says so", async () => {
    const queue = new SimulatedQueue();
    const seen: bigint[] = [];
    const { result, observation } = await observeOpen(
      queue,
      () => {
        for (let i = 0; i < 10; i += 1) queue.push(PROGRESS);
        return Promise.resolve("model");
      },
      (event) => {
        if (event.sequence % 3n === 0n) throw new Error(`cannot take ${event.sequence.toString()}`);
        seen.push(event.sequence);
      },
    );
    expect(result.kind).toBe("opened");
    expect(seen).toEqual([1n, 2n, 4n, 5n, 7n, 8n, 10n]);
    expect(observation).toMatchObject({
      drained: 10,
      lost: 0,
      consumerErrors: 3,
      firstConsumerError: new Error("cannot take 3"),
    });
  });
});

describe("an observation", () => {
  const observe = async (events: readonly ReturnType<typeof rawRecord>[], end: "open" | "fail" | "cancel") => {
    const queue = new SimulatedQueue();
    return observeOpen(
      queue,
      async () => {
        for (const event of events) queue.push(event);
        await Promise.resolve();
        if (end === "fail") throw new Error("refused");
        if (end === "cancel") throw new Cancellation("stop");
        return "model";
      },
      ignore,
    );
  };

  it("reports FINISHED of a failed open and keeps the failure", async () => {
    const { result, observation } = await observe([STARTED, FINISHED], "fail");
    expect(result.kind).toBe("failed");
    expect(observation.contradictions).toEqual(["finished-but-failed"]);
  });

  it("reports FAILED_HANDLED of an open that gave a model and keeps the model", async () => {
    const { result, observation } = await observe([STARTED, FAILED], "open");
    expect(result).toEqual({ kind: "opened", model: "model" });
    expect(observation.contradictions).toEqual(["failed-handled-but-opened"]);
  });

  it("takes a missing terminal for normal", async () => {
    const { observation } = await observe([STARTED], "open");
    expect(observation).toMatchObject({ missingTerminal: true, contradictions: [] });
    expect((await observe([], "fail")).observation).toMatchObject({
      missingTerminal: true,
      contradictions: [],
      firstSequence: undefined,
      lastSequence: undefined,
    });
  });

  it("does not call a cancelled open contradictory, whichever terminal event it sent", async () => {
    expect((await observe([STARTED, FAILED], "cancel")).observation.contradictions).toEqual([]);
    expect((await observe([STARTED, FINISHED], "cancel")).observation.contradictions).toEqual([]);
  });

  it("contradicts the counters when sequence numbers are missing that nobody lost", async () => {
    const queue = new SimulatedQueue();
    queue.pushAs(rawRecord({ sequence: 1n }));
    queue.pushAs(rawRecord({ sequence: 4n }));
    const { observation } = await observeOpen(queue, () => Promise.resolve("model"), ignore);
    expect(observation).toMatchObject({ missingSequences: 2n, lost: 0, contradictions: ["gap-without-loss"] });
  });

  it.each([
    ["falls", 2n, 1n],
    ["stands still", 2n, 2n],
    ["begins at zero", 0n, 1n],
  ])("reports a sequence that does not rise: it %s", async (_name, firstSequence, lastSequence) => {
    const queue = new SimulatedQueue();
    queue.pushAs(rawRecord({ sequence: firstSequence }));
    queue.pushAs(rawRecord({ sequence: lastSequence }));
    const { observation } = await observeOpen(queue, () => Promise.resolve("model"), ignore);
    expect(observation).toMatchObject({ firstSequence, lastSequence, contradictions: ["order-broken"] });
  });

  it("reads the counters after its last drain, so that what comes meanwhile is counted", async () => {
    const queue = new SimulatedQueue();
    queue.push(STARTED);
    const { observation } = await observeOpen(
      queue,
      () => Promise.resolve("model"),
      () => {
        queue.reject();
      },
    );
    expect(observation).toMatchObject({ drained: 1, rejected: 1, lost: 1 });
  });
});

describe("the invariants of an observation", () => {
  type Step = "progress" | "reject" | "tick" | "finished" | "failed";
  const steps = fc.array(
    fc.constantFrom<Step>("progress", "progress", "progress", "reject", "tick", "finished", "failed"),
    { maxLength: 80 },
  );

  it("hold for any interleaving of events, refusals and drains over a queue of any size", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 8 }), fc.boolean(), async (plan, capacity, opens) => {
        vi.useFakeTimers();
        const queue = new SimulatedQueue(capacity);
        const seen: bigint[] = [];
        const { result, observation } = await observeOpen(
          queue,
          async () => {
            for (const step of plan) {
              if (step === "tick") vi.advanceTimersByTime(DRAIN_INTERVAL_MS);
              else if (step === "reject") queue.reject();
              else queue.push(step === "progress" ? PROGRESS : step === "finished" ? FINISHED : FAILED);
            }
            await Promise.resolve();
            if (!opens) throw new Error("refused");
            return "model";
          },
          (event) => seen.push(event.sequence),
        );
        const offered = plan.filter((step) => step !== "tick").length;
        expect(result.kind).toBe(opens ? "opened" : "failed");
        // Nothing vanishes without being counted, and nothing is counted that did not happen.
        expect(observation.drained + observation.lost).toBe(offered);
        expect(observation.drained).toBe(seen.length);
        expect(observation.lost).toBe(observation.dropped + observation.rejected);
        expect(observation.rejected).toBe(plan.filter((step) => step === "reject").length);
        expect(observation.contradictions).not.toContain("gap-without-loss");
        // The first terminal event is never lost, however full the queue was.
        const terminals = plan.filter((step) => step === "finished" || step === "failed");
        expect(observation.missingTerminal).toBe(terminals.length === 0);
        expect(queue.counters()).toMatchObject({ queued: 0, drained: observation.drained });
        vi.useRealTimers();
      }),
      { numRuns: 300 },
    );
  });
});
