import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  coalesceProgress,
  decodeRecords,
  type HostEvent,
  OpaqueIdentities,
  PROGRESS_INTERVAL_MS,
  toHostEvent,
} from "../../src/index.ts";
import { encodeRecords, rawRecord } from "../record.ts";

function hostEvent(kind: number, current = 0): HostEvent {
  const record = rawRecord({ kind, progressCurrent: BigInt(current), progressTotal: 1000n, progressUnit: 4 });
  const [event] = decodeRecords(encodeRecords([record]));
  const made = event && toHostEvent(event, { identities: new OpaqueIdentities() });
  if (made === undefined) throw new Error("no host event");
  return made;
}

describe("coalescing", () => {
  it("passes the first progress at once, then one an interval, and the last before anything else", () => {
    let now = 0;
    const passed: string[] = [];
    const coalescer = coalesceProgress({
      deliver: ({ id, progress }) => passed.push(progress === undefined ? id : String(progress.current)),
      now: () => now,
    });
    for (const [at, current] of [
      [0, 1],
      [50, 2],
      [99, 3],
      [100, 4],
      [150, 5],
    ] as const) {
      now = at;
      coalescer.offer(hostEvent(2, current));
    }
    coalescer.offer(hostEvent(4));
    expect(passed).toEqual(["1", "4", "5", "model_open_finished"]);
  });

  it("loses no other event and never the newest progress, at most one an interval, for any arrivals", () => {
    const step = fc.record({ kind: fc.constantFrom(2, 2, 2, 4, 100), after: fc.nat({ max: 120 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (plan) => {
        let now = 0;
        const passed: { at: number; kind: string; current: number | undefined }[] = [];
        const coalescer = coalesceProgress({
          deliver: ({ kind, progress }) => passed.push({ at: now, kind, current: progress?.current }),
          now: () => now,
        });
        plan.forEach(({ kind, after }, index) => {
          now += after;
          coalescer.offer(hostEvent(kind, index));
        });
        coalescer.flush();
        const others = passed.filter(({ kind }) => kind !== "model-open-progress");
        expect(others).toHaveLength(plan.filter(({ kind }) => kind !== 2).length);
        const lastProgress = plan.findLastIndex(({ kind }) => kind === 2);
        const progress = passed.filter(({ kind }) => kind === "model-open-progress");
        if (lastProgress >= 0) expect(progress.at(-1)?.current).toBe(lastProgress);
        // Only a flush before another event may come sooner than the interval.
        passed.forEach((event, index) => {
          const previous = passed[index - 1];
          if (event.kind !== "model-open-progress" || previous?.kind !== "model-open-progress") return;
          if (index < passed.length - 1 && passed[index + 1]?.kind === "model-open-progress") {
            expect(event.at - previous.at).toBeGreaterThanOrEqual(PROGRESS_INTERVAL_MS);
          }
        });
      }),
      { numRuns: 300 },
    );
  });
});
