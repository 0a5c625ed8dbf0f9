import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeRecords,
  EVENT_KINDS,
  exactNumber,
  RECORD_BYTES,
  type RuntimeEvent,
  RuntimeEventsError,
  type UnknownCode,
} from "../src/index.ts";
import {
  CATEGORY_NAMES,
  EMITTER_NAMES,
  FAILURE_CODE_NAMES,
  PROGRESS_UNIT_NAMES,
  STATUS_NAMES,
} from "../src/wire/codes.ts";
import { RECORD_LAYOUT as AT, LITTLE_ENDIAN } from "../src/wire/layout.ts";
import { anyRecord, encodeRecords, type RawRecord, rawRecord } from "./record.ts";

function decodeOne(changes: Partial<RawRecord>): RuntimeEvent {
  const [event] = decodeRecords(encodeRecords([rawRecord(changes)]));
  if (event === undefined) throw new Error("no event was decoded");
  return event;
}

/** The number behind a decoded name, or the number that was kept. */
function rawOf(names: Readonly<Record<number, string>>, value: string | UnknownCode): number {
  if (typeof value !== "string") return value.raw;
  return Number(Object.entries(names).find(([, name]) => name === value)?.[0]);
}

/** Turns a decoded event back into the numbers it came from; what this cannot restore, the decoder has lost. */
function toRaw(event: RuntimeEvent): RawRecord {
  const present = event.numericSummary.reduce((bits, value, index) => bits | (value === undefined ? 0 : 1 << index), 0);
  return {
    abiVersion: event.abiVersion,
    structSize: event.structSize,
    category: rawOf(CATEGORY_NAMES, event.category),
    kind: event.kind === "unknown" ? event.raw : EVENT_KINDS[event.kind].raw,
    emitter: rawOf(EMITTER_NAMES, event.emitter),
    sequence: event.sequence,
    timestampMonoNs: event.timestampMonotonicNs,
    modelId: event.modelId,
    stageId: event.stageId,
    sessionId: event.sessionId,
    progressCurrent: event.progress.current,
    progressTotal: event.progress.total,
    progressUnit: rawOf(PROGRESS_UNIT_NAMES, event.progress.unit),
    failureCode: rawOf(FAILURE_CODE_NAMES, event.failureCode),
    status: rawOf(STATUS_NAMES, event.status),
    numericSummary: event.numericSummary.map((value) => value ?? 0n),
    numericSummaryPresent: present,
    detailTruncated: event.detail.truncated ? 1 : 0,
    detail: event.detail.bytes,
  };
}

describe("decoding", () => {
  it("loses nothing: every field of any record can be restored from its event", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 5 }), (records) => {
        const restored = decodeRecords(encodeRecords(records)).map(toRaw);
        const expected = records.map((record) => ({
          ...record,
          // A summary that is absent has no value to restore.
          numericSummary: record.numericSummary.map((value, index) =>
            (record.numericSummaryPresent >> index) & 1 ? value : 0n,
          ),
        }));
        expect(restored).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("never throws over the content of whole records, and gives one event each", () => {
    const bytes = fc.uint8Array({ minLength: 0, maxLength: 4 * RECORD_BYTES });
    fc.assert(
      fc.property(bytes, (content) => {
        const whole = content.subarray(0, content.length - (content.length % RECORD_BYTES));
        const events = decodeRecords(whole);
        expect(events).toHaveLength(whole.length / RECORD_BYTES);
        for (const event of events) {
          expect(event.detail.bytes.length).toBeLessThanOrEqual(256);
          expect(typeof event.detail.text).toBe("string");
        }
      }),
      { numRuns: 500 },
    );
  });

  it("refuses a buffer that is not a whole number of records, whatever its length", () => {
    const ragged = fc.nat({ max: 3 * RECORD_BYTES }).filter((length) => length % RECORD_BYTES !== 0);
    fc.assert(
      fc.property(ragged, (length) => {
        expect(() => decodeRecords(new Uint8Array(length))).toThrow(RuntimeEventsError);
        expect(() => decodeRecords(new Uint8Array(length))).toThrow(/whole number of records of 392 bytes/);
      }),
    );
  });

  it("gives events that share no memory with the buffer", () => {
    const bytes = encodeRecords([rawRecord({ detail: new Uint8Array([104, 105]) })]);
    const [event] = decodeRecords(bytes);
    bytes.fill(0xff);
    expect(event?.detail.text).toBe("hi");
  });

  it("decodes records that do not start at the beginning of their memory", () => {
    const memory = new Uint8Array(3 + RECORD_BYTES);
    memory.set(encodeRecords([rawRecord({ kind: 4, detail: new Uint8Array([65]) })]), 3);
    const [event] = decodeRecords(memory.subarray(3));
    expect(event).toMatchObject({ kind: "model-open-finished" });
    expect(event?.detail.text).toBe("A");
  });
});

describe("kinds", () => {
  // Written out from spec 1.4, not derived from the table that is tested.
  const numbers: readonly number[] = [
    ...[1, 2, 3, 4, 5],
    ...[100, 101, 102, 103, 104],
    ...[200, 201, 202, 203, 204],
    ...[300, 301, 302, 303, 304, 305, 306, 307, 308],
    ...[400, 401, 402, 403, 404],
    ...[500, 501, 502, 503, 504],
  ];
  const familyOf: Readonly<Record<number, string>> = {
    0: "runtime_events",
    1: "model_load_events_v2",
    2: "kv_events",
    3: "device_events",
    4: "diagnostic_events",
    5: "unload_events",
  };

  it("are the 34 of the ABI, each with a name of its own and the family of its hundred", () => {
    const events = numbers.map((kind) => decodeOne({ kind }));
    expect(numbers).toHaveLength(34);
    expect(new Set(events.map((event) => event.kind)).size).toBe(34);
    expect(Object.keys(EVENT_KINDS)).toHaveLength(34);
    expect(events.map((event) => (event.kind === "unknown" ? "unknown" : event.family))).toEqual(
      numbers.map((kind) => familyOf[Math.floor(kind / 100)]),
    );
  });

  it("decode without the category, because they share one number space", () => {
    expect(decodeOne({ kind: 504, category: 12345 })).toMatchObject({
      kind: "unload-session-draining",
      category: { kind: "unknown", raw: 12345 },
    });
  });

  it("survive with their number when they are unknown", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 0xffff_ffff }).filter((kind) => !numbers.includes(kind)),
        (kind) => {
          expect(decodeOne({ kind })).toMatchObject({ kind: "unknown", raw: kind });
        },
      ),
    );
    expect(decodeOne({ kind: 9999 })).toMatchObject({ kind: "unknown", raw: 9999 });
  });
});

describe("values", () => {
  it("keep every unknown code as it was, the signed status included", () => {
    expect(decodeOne({ category: 9, emitter: 3, progressUnit: 5, failureCode: 8, status: -7 })).toMatchObject({
      category: { kind: "unknown", raw: 9 },
      emitter: { kind: "unknown", raw: 3 },
      progress: { unit: { kind: "unknown", raw: 5 } },
      failureCode: { kind: "unknown", raw: 8 },
      status: { kind: "unknown", raw: -7 },
    });
    // The emitter's 0 is a value of the ABI, not a failure to decode.
    expect(decodeOne({ emitter: 0 })).toMatchObject({ emitter: "unknown-thread" });
  });

  it.each([2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n])("keep %s exact", (value) => {
    expect(decodeOne({ sequence: value, progressTotal: value })).toMatchObject({
      sequence: value,
      progress: { total: value },
    });
  });

  it("become numbers only where that is exact", () => {
    expect(exactNumber(0n)).toBe(0);
    expect(exactNumber(2n ** 53n - 1n)).toBe(Number.MAX_SAFE_INTEGER);
    expect(exactNumber(2n ** 53n)).toBeUndefined();
    expect(exactNumber(-1n)).toBeUndefined();
  });

  it("tell an absent numeric summary from zero", () => {
    expect(decodeOne({ numericSummaryPresent: 0 }).numericSummary).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(decodeOne({ numericSummaryPresent: 15 }).numericSummary).toEqual([0n, 0n, 0n, 0n]);
  });
});

describe("detail", () => {
  const text = new TextEncoder();
  const anyText = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 200 })
    .filter((whole) => !whole.includes("\uFFFD"));

  it("keeps the bytes and the flag, and decodes lossily", () => {
    const { detail } = decodeOne({ detail: new Uint8Array([0x61, 0xff, 0x62, 0]), detailTruncated: 0 });
    expect(detail.truncated).toBe(false);
    expect(Array.from(detail.bytes)).toEqual([0x61, 0xff, 0x62, 0]);
    // NULs stay, and what is not UTF-8 is shown to be none.
    expect(detail.text).toBe("a\uFFFDb\0");
  });

  it("leaves off exactly the character that the cut has broken, for any text and any place of the cut", () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 256 }), (whole, at) => {
        const bytes = text.encode(whole).subarray(0, at);
        const { detail } = decodeOne({ detail: bytes, detailTruncated: 1 });
        expect(detail.text).not.toContain("\uFFFD");
        expect(whole.startsWith(detail.text)).toBe(true);
        expect(bytes.length - text.encode(detail.text).length).toBeLessThan(4);
      }),
      { numRuns: 500 },
    );
  });

  it("does not trim what the runtime itself sent broken", () => {
    expect(decodeOne({ detail: new Uint8Array([0x61, 0xc3]), detailTruncated: 0 }).detail.text).toBe("a\uFFFD");
  });

  it("does not take a byte that starts no character for one that was cut", () => {
    for (const byte of [0xc0, 0xc1, 0xf5, 0xff]) {
      const { detail } = decodeOne({ detail: new Uint8Array([0x61, byte]), detailTruncated: 1 });
      expect(detail.text).toBe("a\uFFFD");
    }
  });

  it("keeps a byte order mark, which is a character of the text like any other", () => {
    expect(decodeOne({ detail: text.encode("\uFEFFa") }).detail.text).toBe("\uFEFFa");
  });

  it("is flagged when its length says more than a record can hold, and ends with the record", () => {
    const bytes = encodeRecords([rawRecord({ detail: new Uint8Array(256).fill(0x61) })]);
    new DataView(bytes.buffer).setUint16(AT.detailLength, 257, LITTLE_ENDIAN);
    const [event] = decodeRecords(bytes);
    expect(event?.detail.bytes).toHaveLength(256);
    expect(event?.detail.truncated).toBe(true);
  });

  it("says so when a null pointer declared bytes: none came, and the flag is set", () => {
    const { detail } = decodeOne({ detail: new Uint8Array(0), detailTruncated: 1 });
    expect(detail.bytes.length).toBe(0);
    expect(detail.truncated).toBe(true);
    expect(detail.text).toBe("");
  });
});
