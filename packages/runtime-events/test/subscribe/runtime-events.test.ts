import type { Runtime } from "@mesh/ffi/runtime";
import { type OpenStep, openScript } from "@mesh/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import {
  familyTally,
  judgeFamilyCoverage,
  runtimeEvents,
  type StreamItem,
  subscribeRuntimeEvents,
  subscriptionCounters,
} from "../../src/index.ts";
import { loadFaultRuntime } from "../fault-runtime.ts";

let runtime: Runtime;
beforeAll(async () => {
  runtime = await loadFaultRuntime("good");
}, 120_000);

/** Makes the runtime do something: opens a scripted model and unloads it. */
async function run(steps: readonly OpenStep[]): Promise<void> {
  const model = await runtime.openModel({ path: openScript(steps) });
  await model.close();
}

const idle = { subscribers: 0, installed: false };

const kindOf = (item: StreamItem): string => (item.kind === "unknown" ? `unknown ${item.raw}` : item.kind);

describe("the process-wide events", () => {
  it("come from loads without a queue of their own, from devices, sessions and unloads, in the order of the ring", async () => {
    const kinds: string[] = [];
    const stream = await runtimeEvents(runtime, { keepAlive: true });
    const model = await runtime.openModel({ path: "/models/any.gguf", config: { device: "CPU" } });
    const session = await model.createSession();
    await session.reset();
    await session.close();
    await model.close();
    for await (const item of stream) {
      kinds.push(kindOf(item));
      if (item.kind === "unload-completed") break;
    }
    expect(kinds).toEqual([
      "device-backend-initialized",
      "device-ready",
      "model-load-phase-changed",
      "model-load-tokenizer-ready",
      "kv-initialized",
      "kv-pressure-cleared",
      "unload-started",
      "unload-completed",
    ]);
    expect(subscriptionCounters(runtime)).toMatchObject(idle);
  });

  it("carry every family, and unknown kinds with their number", async () => {
    const tally = familyTally();
    const kinds: string[] = [];
    const subscription = await subscribeRuntimeEvents(runtime, {
      keepAlive: true,
      onItem: (item) => {
        tally.add(item);
        kinds.push(kindOf(item));
      },
    });
    await run([
      { step: "emit", fields: { family: "load", kind: 101, number: 7, detail: "cache" } },
      { step: "emit", fields: { family: "kv", kind: 203 } },
      { step: "emit", fields: { family: "device", kind: 307 } },
      { step: "emit", fields: { family: "diagnostic", kind: 402, number: 4 } },
      { step: "reporter-event", fields: { kind: 9999 } },
    ]);
    await expect.poll(() => kinds.at(-1), { timeout: 20_000 }).toBe("unload-completed");
    await subscription.close();
    expect(kinds).toContain("unknown 9999");
    expect(tally.counts()).toEqual({
      model_load_events_v2: 1,
      kv_events: 1,
      device_events: 1,
      diagnostic_events: 1,
      unload_events: 2,
    });
    expect(judgeFamilyCoverage(runtime.capabilities, tally.counts()).missing).toEqual([]);
    expect(subscriptionCounters(runtime)).toMatchObject(idle);
  });

  it("keep the order of delivery, even where the runtime's numbers do not rise", async () => {
    const stream = await runtimeEvents(runtime, { keepAlive: true });
    await run([5n, 3n, 4n].map((sequence) => ({ step: "reporter-event", fields: { kind: 301, sequence } })));
    const seen: bigint[] = [];
    for await (const item of stream) {
      if (item.kind === "unload-completed") break;
      if (item.kind === "device-ready") seen.push(item.sequence);
    }
    expect(seen).toEqual([5n, 3n, 4n]);
  });

  it("overflow with the loss marked behind what the ring held, and the unload behind the mark", async () => {
    const stream = await runtimeEvents(runtime, { keepAlive: true, capacity: 4_096 });
    await run([{ step: "reporter-threads", fields: { threads: 1, countPerThread: 3_000, kind: 401 } }]);
    let events = 0;
    let lost = 0;
    for await (const item of stream) {
      if (item.kind === "lost") {
        expect(item.reason).toBe("ring-full");
        lost += item.count;
      } else {
        events += 1;
      }
      if (events + lost === 3_002) break;
    }
    // The flood is faster than any timer, so the ring of 1,024 has overflowed; nothing is missing from the books.
    expect(lost).toBeGreaterThan(0);
    expect(events + lost).toBe(3_002);
  });

  it("reach all subscribers, one that throws and one that stands still included, and none hinders another", async () => {
    const seen: string[] = [];
    const throwing = await subscribeRuntimeEvents(runtime, {
      keepAlive: true,
      onItem: () => {
        throw new Error("a broken consumer");
      },
    });
    const standing = await runtimeEvents(runtime, { capacity: 1 });
    const reading = await subscribeRuntimeEvents(runtime, { onItem: (item) => seen.push(kindOf(item)) });
    expect(subscriptionCounters(runtime)).toMatchObject({ subscribers: 3, installed: true });
    await run([{ step: "structured" }]);
    const expected = ["model-load-phase-changed", "model-load-tokenizer-ready", "unload-started", "unload-completed"];
    await expect.poll(() => seen, { timeout: 20_000 }).toEqual(expected);
    expect(throwing.counters()).toEqual({ delivered: 4, consumerErrors: 4 });
    expect(standing.counters()).toEqual({ delivered: 0, lost: 3, buffered: 1 });
    await Promise.all([throwing.close(), standing.close(), reading.close()]);
    expect(subscriptionCounters(runtime)).toMatchObject(idle);
    expect(runtime.reporterOwner()).toBeUndefined();
  });
});

describe("a subscription", () => {
  it("belongs to its generation: it sees nothing of an earlier one, and the reporter is free in between", async () => {
    const first = await runtimeEvents(runtime);
    await run([{ step: "emit", fields: { family: "device", kind: 305 } }]);
    await first.close();
    expect(runtime.reporterOwner()).toBeUndefined();
    // Nobody is subscribed: these go nowhere.
    await run([{ step: "emit", fields: { family: "device", kind: 302 } }]);
    const second = await runtimeEvents(runtime, { keepAlive: true });
    await run([{ step: "emit", fields: { family: "device", kind: 304 } }]);
    const kinds: string[] = [];
    for await (const item of second) {
      kinds.push(kindOf(item));
      if (item.kind === "unload-completed") break;
    }
    expect(kinds).toEqual(["device-recovered", "unload-started", "unload-completed"]);
  });

  it("ends by its signal and gives the reporter back", async () => {
    const controller = new AbortController();
    const stream = await runtimeEvents(runtime, { signal: controller.signal });
    const errors: unknown[] = [];
    const called = await subscribeRuntimeEvents(runtime, {
      signal: controller.signal,
      onItem: () => undefined,
      onError: (error) => errors.push(error),
    });
    controller.abort(new Error("enough"));
    await expect(stream.next()).rejects.toMatchObject({ name: "AbortError" });
    await Promise.all([stream.close(), called.close()]);
    expect(errors).toMatchObject([{ name: "AbortError", cause: new Error("enough") }]);
    expect(subscriptionCounters(runtime)).toMatchObject(idle);
    expect(runtime.reporterOwner()).toBeUndefined();
    await expect(runtimeEvents(runtime, { signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });
  });

  it("ends by a signal that fires while the reporter is being installed", async () => {
    const controller = new AbortController();
    const errors: unknown[] = [];
    const subscribing = subscribeRuntimeEvents(runtime, {
      signal: controller.signal,
      onItem: () => undefined,
      onError: (error) => errors.push(error),
    });
    controller.abort(new Error("too slow"));
    const subscription = await subscribing;
    expect(errors).toMatchObject([{ name: "AbortError", cause: new Error("too slow") }]);
    await subscription.close();
    expect(subscriptionCounters(runtime)).toMatchObject(idle);
    expect(runtime.reporterOwner()).toBeUndefined();
  });

  it("is refused while somebody else owns the reporter, by name, and possible afterwards", async () => {
    const other = await runtime.installReporter({ owner: "somebody else" });
    await expect(runtimeEvents(runtime)).rejects.toMatchObject({ code: "REPORTER_OWNED" });
    expect(subscriptionCounters(runtime)).toMatchObject(idle);
    await other.clear();
    const stream = await runtimeEvents(runtime);
    await stream.close();
  });

  it("is refused with bad options before anything is installed", async () => {
    for (const capacity of [0, -1, 1.5, 65_537, Number.NaN]) {
      await expect(runtimeEvents(runtime, { capacity })).rejects.toMatchObject({ code: "INVALID_OPTION" });
    }
    expect(subscriptionCounters(runtime)).toMatchObject(idle);
  });
});
