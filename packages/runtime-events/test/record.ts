import { RECORD_LAYOUT as AT } from "@mesh/ffi/runtime";
import * as fc from "fast-check";
import { LITTLE_ENDIAN, RECORD_BYTES } from "../src/wire/layout.ts";

/** A record as numbers, the way the native side fills it. Tests encode it, the package decodes it. */
export interface RawRecord {
  readonly abiVersion: number;
  readonly structSize: number;
  readonly category: number;
  readonly kind: number;
  readonly emitter: number;
  readonly sequence: bigint;
  readonly timestampMonoNs: bigint;
  readonly modelId: bigint;
  readonly stageId: bigint;
  readonly sessionId: bigint;
  readonly progressCurrent: bigint;
  readonly progressTotal: bigint;
  readonly progressUnit: number;
  readonly failureCode: number;
  readonly status: number;
  readonly numericSummary: readonly bigint[];
  readonly numericSummaryPresent: number;
  readonly detailTruncated: number;
  readonly detail: Uint8Array;
}

const U32 = ["abiVersion", "structSize", "category", "kind", "emitter", "progressUnit", "failureCode"] as const;
const U64 = [
  "sequence",
  "timestampMonoNs",
  "modelId",
  "stageId",
  "sessionId",
  "progressCurrent",
  "progressTotal",
] as const;

/** A sound record of one kind, to be changed where a test wants it. */
export function rawRecord(changes: Partial<RawRecord> = {}): RawRecord {
  return {
    abiVersion: 1,
    structSize: 144,
    category: 1,
    kind: 2,
    emitter: 1,
    sequence: 1n,
    timestampMonoNs: 0n,
    modelId: 0n,
    stageId: 0n,
    sessionId: 0n,
    progressCurrent: 0n,
    progressTotal: 0n,
    progressUnit: 0,
    failureCode: 0,
    status: 0,
    numericSummary: [0n, 0n, 0n, 0n],
    numericSummaryPresent: 0b1111,
    detailTruncated: 0,
    detail: new Uint8Array(0),
    ...changes,
  };
}

/** Packs records one after another, as a drain does. */
export function encodeRecords(records: readonly RawRecord[]): Uint8Array {
  const bytes = new Uint8Array(records.length * RECORD_BYTES);
  records.forEach((record, index) => {
    encodeInto(bytes.subarray(index * RECORD_BYTES, (index + 1) * RECORD_BYTES), record);
  });
  return bytes;
}

function encodeInto(bytes: Uint8Array, record: RawRecord): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const field of U32) view.setUint32(AT[field], record[field], LITTLE_ENDIAN);
  for (const field of U64) view.setBigUint64(AT[field], record[field], LITTLE_ENDIAN);
  view.setInt32(AT.status, record.status, LITTLE_ENDIAN);
  record.numericSummary.forEach((value, index) => {
    view.setBigUint64(AT.numericSummary + index * 8, value, LITTLE_ENDIAN);
  });
  view.setUint8(AT.numericSummaryPresent, record.numericSummaryPresent);
  view.setUint8(AT.detailTruncated, record.detailTruncated);
  view.setUint16(AT.detailLength, record.detail.length, LITTLE_ENDIAN);
  bytes.set(record.detail, AT.detail);
}

const u32 = fc.oneof(fc.nat({ max: 10 }), fc.nat({ max: 0xffff_ffff }));
const u64 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.constantFrom(0n, 2n ** 53n - 1n, 2n ** 53n + 1n, 2n ** 64n - 1n),
);

/** Any record that the native side could have filled, whatever the runtime sent. */
export const anyRecord: fc.Arbitrary<RawRecord> = fc.record({
  abiVersion: u32,
  structSize: u32,
  category: u32,
  kind: fc.oneof(u32, fc.constantFrom(1, 2, 3, 4, 5, 100, 104, 200, 308, 404, 504)),
  emitter: u32,
  sequence: u64,
  timestampMonoNs: u64,
  modelId: u64,
  stageId: u64,
  sessionId: u64,
  progressCurrent: u64,
  progressTotal: u64,
  progressUnit: u32,
  failureCode: u32,
  status: fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }),
  numericSummary: fc.tuple(u64, u64, u64, u64),
  numericSummaryPresent: fc.nat({ max: 15 }),
  detailTruncated: fc.nat({ max: 1 }),
  detail: fc.uint8Array({ maxLength: 256 }),
});
