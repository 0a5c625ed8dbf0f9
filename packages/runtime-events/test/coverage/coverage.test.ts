import { describe, expect, it } from "vitest";
import { decodeRecords, familyTally, judgeFamilyCoverage, kindRuns, type RuntimeEvent } from "../../src/index.ts";
import { encodeRecords, rawRecord } from "../record.ts";

const events = (...kinds: number[]): RuntimeEvent[] =>
  decodeRecords(encodeRecords(kinds.map((kind) => rawRecord({ kind }))));

const ALL = ["model_load_events_v2", "kv_events", "device_events", "diagnostic_events", "unload_events"] as const;

describe("a family tally", () => {
  it("counts the five families of the reporter, and neither opens, nor unknown kinds, nor losses", () => {
    const tally = familyTally();
    for (const event of events(1, 2, 3, 4, 5, 100, 103, 200, 301, 404, 500, 501, 9999)) tally.add(event);
    tally.add({ kind: "lost" });
    expect(tally.counts()).toEqual({
      model_load_events_v2: 2,
      kv_events: 1,
      device_events: 1,
      diagnostic_events: 1,
      unload_events: 2,
    });
    expect(tally.total()).toBe(7);
  });
});

describe("family coverage", () => {
  const judge = (confirmed: readonly (typeof ALL)[number][], ...kinds: number[]) => {
    const tally = familyTally();
    for (const event of events(...kinds)) tally.add(event);
    return judgeFamilyCoverage({ confirmedFamilies: confirmed }, tally.counts());
  };

  it("tells confirmed from covered, in the order of the evidence", () => {
    const { families } = judge(["model_load_events_v2", "kv_events"], 100, 300);
    expect(families.map(({ family, state, count }) => [family, state, count])).toEqual([
      ["model_load_events_v2", "observed", 1],
      ["kv_events", "not-observed", 0],
      ["device_events", "not-confirmed", 1],
      ["diagnostic_events", "not-confirmed", 0],
      ["unload_events", "not-confirmed", 0],
    ]);
  });

  it("misses only families that are confirmed and required", () => {
    expect(judge(ALL).missing).toEqual(["model_load_events_v2", "device_events", "unload_events"]);
    expect(judge(ALL, 100, 301, 501).missing).toEqual([]);
    expect(judge([], 100).missing).toEqual([]);
  });
});

describe("kind runs", () => {
  it("are run-length encoded in the order of delivery, unknown kinds by number", () => {
    expect(kindRuns(events(1, 2, 2, 2, 9999, 9999, 2, 4))).toEqual([
      { kind: "model-open-started", count: 1 },
      { kind: "model-open-progress", count: 3 },
      { kind: "9999", count: 2 },
      { kind: "model-open-progress", count: 1 },
      { kind: "model-open-finished", count: 1 },
    ]);
  });
});
