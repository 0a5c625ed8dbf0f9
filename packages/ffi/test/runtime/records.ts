import { RECORD_BYTES, RECORD_LAYOUT } from "../../src/abi/layout.ts";
import type { ModelOpenQueue } from "../../src/runtime/queue.ts";

/** The parts of a packed record that these tests look at. */
export interface SeenRecord {
  readonly kind: number;
  readonly category: number;
  readonly structSize: number;
  readonly sequence: bigint;
  readonly status: number;
  readonly failureCode: number;
  readonly summary: readonly bigint[] | "absent";
  readonly detail: Uint8Array;
  readonly truncated: boolean;
  /** The 256 detail bytes as they lie in the record. */
  readonly rawDetail: Uint8Array;
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Drains everything, `step` records at a time. */
export function drainAll(queue: Pick<ModelOpenQueue, "drainInto">, step = 512): SeenRecord[] {
  const buffer = new Uint8Array(step * RECORD_BYTES);
  const seen: SeenRecord[] = [];
  for (let count = queue.drainInto(buffer, step); count > 0; count = queue.drainInto(buffer, step)) {
    for (let index = 0; index < count; index += 1) seen.push(readRecord(buffer, index * RECORD_BYTES));
  }
  return seen;
}

function readRecord(buffer: Uint8Array, at: number): SeenRecord {
  const view = new DataView(buffer.buffer, buffer.byteOffset + at, RECORD_BYTES);
  const u32 = (offset: number): number => view.getUint32(offset, LITTLE_ENDIAN);
  const u64 = (offset: number): bigint => view.getBigUint64(offset, LITTLE_ENDIAN);
  const length = view.getUint16(RECORD_LAYOUT.detailLength, LITTLE_ENDIAN);
  const rawDetail = buffer.slice(at + RECORD_LAYOUT.detail, at + RECORD_LAYOUT.detail + 256);
  return {
    kind: u32(RECORD_LAYOUT.kind),
    category: u32(RECORD_LAYOUT.category),
    structSize: u32(RECORD_LAYOUT.structSize),
    sequence: u64(RECORD_LAYOUT.sequence),
    status: view.getInt32(RECORD_LAYOUT.status, LITTLE_ENDIAN),
    failureCode: u32(RECORD_LAYOUT.failureCode),
    summary:
      view.getUint8(RECORD_LAYOUT.numericSummaryPresent) === 0
        ? "absent"
        : [0, 1, 2, 3].map((index) => u64(RECORD_LAYOUT.numericSummary + 8 * index)),
    detail: rawDetail.slice(0, length),
    truncated: view.getUint8(RECORD_LAYOUT.detailTruncated) !== 0,
    rawDetail,
  };
}
