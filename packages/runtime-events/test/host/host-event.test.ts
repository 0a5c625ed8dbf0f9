import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeRecords,
  EVENT_KINDS,
  type HostEvent,
  IDENTITIES_MAX,
  OpaqueIdentities,
  toHostEvent,
} from "../../src/index.ts";
import { anyRecord, encodeRecords, type RawRecord, rawRecord } from "../record.ts";

function host(
  changes: Partial<RawRecord>,
  identities = new OpaqueIdentities(),
  includeDetail?: boolean,
): HostEvent | undefined {
  const [event] = decodeRecords(encodeRecords([rawRecord(changes)]));
  // Left out unless a test says something, because what counts is what a host gets that says nothing.
  return event && toHostEvent(event, { identities, ...(includeDetail === undefined ? {} : { includeDetail }) });
}

describe("the mapping to host events", () => {
  // Written down from spec 5.2 and 5.3, not from the table that is tested: number, public id, severity, terminal.
  const rows: readonly (readonly [number, string, string, string?])[] = [
    [1, "model_open_started", "info"],
    [2, "model_open_progress", "info"],
    [3, "backend_device_selected", "info"],
    [4, "model_open_finished", "info"],
    [5, "model_open_failed_handled", "error"],
    [100, "model_load_phase_changed", "info"],
    [101, "model_memory_allocation_summary", "info"],
    [102, "model_load_phase_changed", "info"],
    [103, "model_load_phase_changed", "info"],
    [104, "model_load_phase_changed", "info"],
    [200, "kv_cache_initialization_completed", "info"],
    [201, "cache_pressure_crossed", "info"],
    [202, "cache_pressure_cleared", "info"],
    [203, "context_capacity_approaching_limit", "info"],
    [204, "context_exhausted", "error", "failure"],
    [300, "backend_initialization_completed", "info"],
    [301, "device_ready", "info"],
    [302, "device_degraded", "error"],
    [303, "device_unavailable", "error"],
    [304, "device_recovered", "info"],
    [305, "device_lost", "error"],
    [306, "resource_allocation_completed", "info"],
    [307, "out_of_memory_condition", "error", "failure"],
    [308, "backend_fallback_activated", "warning"],
    [400, "warning_raised", "warning"],
    [401, "warning_cleared", "warning"],
    [402, "recoverable_native_failure", "error"],
    [403, "fatal_native_failure", "fatal", "failure"],
    [404, "invariant_protocol_violation", "fatal"],
    [500, "unload_started", "info"],
    [501, "unload_completed", "info", "success"],
    [502, "unload_failed", "error", "failure"],
    [503, "forced_unload", "warning"],
    [504, "session_draining_started", "info"],
  ];

  it("has a row for every known kind", () => {
    expect(rows.map(([kind]) => kind).sort((a, b) => a - b)).toEqual(
      Object.values(EVENT_KINDS)
        .map(({ raw }) => raw)
        .sort((a, b) => a - b),
    );
  });

  const named = rows.map(([kind, id, severity, terminal]) => ({ kind, id, severity, terminal }));
  it.each(named)("maps $kind to $id, $severity", ({ kind, id, severity, terminal }) => {
    expect(host({ kind })).toMatchObject({ id, severity, sequenceEvidence: "unchecked" });
    expect(host({ kind })?.terminal).toBe(terminal);
  });

  it("makes no fact of an unknown kind", () => {
    expect(host({ kind: 9999 })).toBeUndefined();
  });

  it("raises any event whose status is not OK to an error, an unknown status included", () => {
    for (const status of [1, 7, -5, 99]) expect(host({ kind: 301, status })?.severity).toBe("error");
    expect(host({ kind: 403, status: 1 })?.severity).toBe("fatal");
  });
});

describe("progress", () => {
  const progress = (progressCurrent: bigint, progressTotal: bigint, progressUnit = 4): HostEvent | undefined =>
    host({ kind: 2, progressCurrent, progressTotal, progressUnit });

  it("is a whole percentage rounded down, so that 100 means the end", () => {
    expect(progress(500n, 1000n)).toMatchObject({
      message: "Opening the native model: 50 %.",
      progress: { percent: 50 },
    });
    expect(progress(999n, 1000n)?.progress?.percent).toBe(99);
    expect(progress(1000n, 1000n)?.progress?.percent).toBe(100);
    expect(progress(2n ** 64n - 2n, 2n ** 64n - 1n)?.progress?.percent).toBe(99);
  });

  it("names the unit where it is none of steps, and the count alone where the end is unknown", () => {
    expect(progress(3n, 8n, 3)?.message).toBe("Opening the native model: 3 of 8 tensors.");
    expect(progress(3n, 0n, 1)).toMatchObject({
      message: "Opening the native model: 3 bytes.",
      progress: { percent: undefined },
    });
    expect(progress(3n, 0n, 77)).toMatchObject({
      message: "Opening the native model: 3.",
      progress: { unit: "none" },
    });
  });

  it("never passes 100, whatever the runtime counts", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), (a, b) => {
        const percent = progress(a, b)?.progress?.percent ?? -1;
        expect(percent).toBeGreaterThanOrEqual(0);
        expect(percent).toBeLessThanOrEqual(100);
        expect(percent === 100).toBe(a >= b);
      }),
    );
  });
});

describe("privacy", () => {
  const SECRET = "/home/somebody/models/secret-é.gguf";
  const secretBytes = new TextEncoder().encode(SECRET);
  const POINTER = 0x7f12_3456_789a_bcden;

  it("lets no path, no text of the runtime and no address out, for any event", () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const event = host({ ...record, modelId: POINTER, sessionId: POINTER + 16n, detail: secretBytes, stageId: 0n });
        const shown = JSON.stringify(event ?? null);
        for (const secret of [SECRET, "secret", POINTER.toString(), POINTER.toString(16), (POINTER + 16n).toString()]) {
          expect(shown).not.toContain(secret);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("gives the detail to who asks for it, and to nobody else", () => {
    expect(host({ kind: 1, detail: secretBytes })).not.toHaveProperty("detail");
    expect(host({ kind: 1, detail: secretBytes }, new OpaqueIdentities(), true)).toHaveProperty("detail", SECRET);
  });
});

describe("identities", () => {
  it("are random, the same for the same object, and different for different ones", () => {
    const identities = new OpaqueIdentities();
    const of = (modelId: bigint): string | undefined => host({ kind: 301, modelId }, identities)?.model;
    expect(of(1n)).toMatch(/^native-model-[0-9a-f-]{36}$/);
    expect(of(1n)).toBe(of(1n));
    expect(of(1n)).not.toBe(of(2n));
    expect(of(0n)).toBeUndefined();
    expect(new OpaqueIdentities().model(1n)).not.toBe(of(1n));
  });

  it("are released by the unload, so that a model at the same address does not inherit the name", () => {
    const identities = new OpaqueIdentities();
    const before = host({ kind: 500, modelId: 7n }, identities)?.model;
    const session = identities.session(7n, 70n);
    expect(host({ kind: 501, modelId: 7n }, identities)?.model).toBe(before);
    expect(identities.size).toEqual({ models: 0, sessions: 0 });
    expect(host({ kind: 500, modelId: 7n }, identities)?.model).not.toBe(before);
    expect(identities.session(7n, 70n)).not.toBe(session);
  });

  it("change when a session is made anew at the same address", () => {
    const identities = new OpaqueIdentities();
    const first = host({ kind: 200, sessionId: 5n }, identities)?.session;
    expect(host({ kind: 201, sessionId: 5n }, identities)?.session).toBe(first);
    expect(host({ kind: 200, sessionId: 5n }, identities)?.session).not.toBe(first);
  });

  it("are bounded, and the one not used for longest gives way", () => {
    const identities = new OpaqueIdentities();
    const first = identities.model(1n);
    const second = identities.model(2n);
    for (let id = 3; id <= IDENTITIES_MAX; id += 1) identities.model(BigInt(id));
    expect(identities.model(1n)).toBe(first);
    identities.model(BigInt(IDENTITIES_MAX + 1));
    expect(identities.size.models).toBe(IDENTITIES_MAX);
    expect(identities.model(1n)).toBe(first);
    expect(identities.model(2n)).not.toBe(second);
  });
});
