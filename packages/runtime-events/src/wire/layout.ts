/**
 * Layout of one drained record: the fixed-size copy that the native callback makes of an event (spec 4.2). The first 96
 * bytes are the event's own first 96 bytes, so the offsets below 96 are those of `skippy_runtime_event_v1` as well.
 * Integers are in the byte order of the machine, because the record never leaves the process.
 */
export const RECORD_OFFSETS = {
  abiVersion: 0,
  structSize: 4,
  category: 8,
  kind: 12,
  emitter: 16,
  sequence: 24,
  timestampMonotonicNs: 32,
  modelId: 40,
  stageId: 48,
  sessionId: 56,
  progressCurrent: 64,
  progressTotal: 72,
  progressUnit: 80,
  failureCode: 84,
  status: 88,
  numericSummary: 96,
  numericSummaryPresent: 128,
  detailTruncated: 129,
  detailLength: 130,
  detail: 132,
} as const;

/** Size of one record in bytes. The native side pins the same number with a static assertion. */
export const RECORD_BYTES = 392;

/** How many bytes of an event's detail a record holds; a longer detail arrives cut, with its flag set. */
export const DETAIL_BYTES_MAX = 256;

/** How many numeric summaries an event can carry. */
export const NUMERIC_SUMMARY_COUNT = 4;

/** Whether this machine stores the low byte first. Node runs on both, though every supported target is little-endian. */
export const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
