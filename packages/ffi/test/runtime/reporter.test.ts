import { buildFaultRuntime, openScript, type OpenStep } from "@mesh/testkit";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { droppedCount, rejectedCount } from "../../src/runtime/counters.ts";
import { nativeRuntime } from "../../src/runtime/native.ts";
import { openRuntime } from "../../src/runtime/open-runtime.ts";
import { REPORTER_RECORDS_MAX, type RuntimeReporter } from "../../src/runtime/reporter.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { drainAll } from "./records.ts";

let runtime: Runtime;
let reporter: RuntimeReporter;

beforeAll(async () => {
  runtime = await openRuntime(await buildFaultRuntime("good"));
});

afterEach(async () => {
  await reporter.clear();
});

async function run(steps: readonly OpenStep[]): Promise<void> {
  await (await runtime.openModel({ path: openScript(steps) })).close();
}

describe("the process-wide reporter", () => {
  it("takes the events of opens, sessions and frees, and its counters go on over owners", async () => {
    reporter = await runtime.installReporter({ owner: "first" });
    expect(runtime.reporterOwner()).toBe("first");
    await run([{ step: "emit", fields: { family: "device", kind: 301, number: 7, detail: "CPU" } }]);
    expect(drainAll(reporter).map((record) => record.kind)).toEqual([301, 500, 501]);
    await reporter.clear();
    expect(runtime.reporterOwner()).toBeUndefined();
    const before = reporter.counters();
    reporter = await runtime.installReporter({ owner: "second" });
    await run([]);
    expect(reporter.counters().accepted).toBe(before.accepted + 2);
    drainAll(reporter);
  });

  it("has one owner: another is refused and told who", async () => {
    reporter = await runtime.installReporter({ owner: "the host" });
    await expect(runtime.installReporter()).rejects.toMatchObject({
      code: "REPORTER_OWNED",
      facts: { owner: "the host" },
    });
  });

  it("what is left on the ring is drained after clear, until another owner comes", async () => {
    const first = await runtime.installReporter();
    await run([]);
    await first.clear();
    expect(drainAll(first).map((record) => record.kind)).toEqual([500, 501]);
    reporter = await runtime.installReporter();
    expect(() => drainAll(first)).toThrow(expect.objectContaining({ code: "REPORTER_REPLACED" }));
    // A clear of the past changes nothing, and the addon itself sees to that.
    await first.clear();
    const clearNatively = vi.spyOn(nativeRuntime(), "clearReporter").mockResolvedValueOnce(false);
    await reporter.clear();
    const generation = clearNatively.mock.calls[0]?.[0] ?? 0;
    clearNatively.mockRestore();
    expect(generation).toBeGreaterThan(1);
    expect(await nativeRuntime().clearReporter(generation - 1)).toBe(false);
    expect(runtime.reporterOwner()).toBe(reporter.owner);
    expect(await nativeRuntime().clearReporter(generation)).toBe(true);
    expect(runtime.reporterOwner()).toBeUndefined();
  });

  it("a full ring drops the newest, whatever its kind, and a drain gives room back", async () => {
    reporter = await runtime.installReporter();
    const before = reporter.counters();
    await run([{ step: "reporter-event", fields: { kind: 4, count: REPORTER_RECORDS_MAX + 10 } }]);
    const after = reporter.counters();
    expect(after.accepted - before.accepted).toBe(REPORTER_RECORDS_MAX);
    // Ten of these, and the two of the free.
    expect(after.droppedFull - before.droppedFull).toBe(12);
    expect(drainAll(reporter)).toHaveLength(REPORTER_RECORDS_MAX);
    await run([]);
    expect(drainAll(reporter)).toHaveLength(2);
  });

  it("malformed events are refused here too, and every sum holds", async () => {
    reporter = await runtime.installReporter();
    const before = reporter.counters();
    await run([{ step: "reporter-null-event" }, { step: "reporter-event", fields: { size: 8 } }]);
    const after = reporter.counters();
    expect(rejectedCount(after) - rejectedCount(before)).toBe(2);
    expect(after.accepted + droppedCount(after) + rejectedCount(after)).toBe(after.offered);
    expect(after.drained + after.queued).toBe(after.accepted);
    drainAll(reporter);
  });
});
