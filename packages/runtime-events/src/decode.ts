import { EventDetail } from "./detail.ts";
import { RuntimeEventsError } from "./error.ts";
import type { NumericSummary, RuntimeEvent, RuntimeEventFacts } from "./event.ts";
import {
  CATEGORY_NAMES,
  codeDecoder,
  EMITTER_NAMES,
  FAILURE_CODE_NAMES,
  PROGRESS_UNIT_NAMES,
  STATUS_NAMES,
} from "./wire/codes.ts";
import { EVENT_KINDS } from "./wire/kinds.ts";
import { RECORD_LAYOUT as AT, DETAIL_BYTES_MAX, LITTLE_ENDIAN, RECORD_BYTES } from "./wire/layout.ts";

const categoryOf = codeDecoder(CATEGORY_NAMES);
const emitterOf = codeDecoder(EMITTER_NAMES);
const progressUnitOf = codeDecoder(PROGRESS_UNIT_NAMES);
const failureCodeOf = codeDecoder(FAILURE_CODE_NAMES);
const statusOf = codeDecoder(STATUS_NAMES);

type KindEntry = { [Kind in keyof typeof EVENT_KINDS]: readonly [Kind, (typeof EVENT_KINDS)[Kind]["family"]] };

// Object.entries widens the pairs; the table is a literal of this package, so the pairs are what its type says.
const kindsByNumber = new Map(
  Object.entries(EVENT_KINDS).map(([kind, { raw, family }]) => [
    raw as number,
    [kind, family] as unknown as KindEntry[keyof KindEntry],
  ]),
);

const NO_BYTES = new Uint8Array(0);
const NO_DETAIL = new EventDetail(NO_BYTES, false);
const NO_SUMMARY: NumericSummary = [undefined, undefined, undefined, undefined];

function detailAt(view: DataView, start: number): EventDetail {
  // A length above the limit cannot come from the native side; if memory says so all the same, the bytes that exist are
  // given and the flag says that they are not all.
  const declared = view.getUint16(start + AT.detailLength, LITTLE_ENDIAN);
  const length = Math.min(declared, DETAIL_BYTES_MAX);
  const truncated = view.getUint8(start + AT.detailTruncated) !== 0 || declared > length;
  if (length === 0 && !truncated) return NO_DETAIL;
  // A copy, because the buffer is drained into again while the event lives on. Byte by byte: for so few of them that takes a
  // tenth of the time of making a second view to copy from.
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index += 1) bytes[index] = view.getUint8(start + AT.detail + index);
  return new EventDetail(bytes, truncated);
}

function numericSummaryAt(view: DataView, start: number): NumericSummary {
  const present = view.getUint8(start + AT.numericSummaryPresent);
  if (present === 0) return NO_SUMMARY;
  const at = (index: number): bigint | undefined =>
    (present >> index) & 1 ? view.getBigUint64(start + AT.numericSummary + index * 8, LITTLE_ENDIAN) : undefined;
  return [at(0), at(1), at(2), at(3)];
}

function factsAt(view: DataView, start: number): RuntimeEventFacts {
  return {
    category: categoryOf(view.getUint32(start + AT.category, LITTLE_ENDIAN)),
    emitter: emitterOf(view.getUint32(start + AT.emitter, LITTLE_ENDIAN)),
    sequence: view.getBigUint64(start + AT.sequence, LITTLE_ENDIAN),
    timestampMonotonicNs: view.getBigUint64(start + AT.timestampMonoNs, LITTLE_ENDIAN),
    modelId: view.getBigUint64(start + AT.modelId, LITTLE_ENDIAN),
    stageId: view.getBigUint64(start + AT.stageId, LITTLE_ENDIAN),
    sessionId: view.getBigUint64(start + AT.sessionId, LITTLE_ENDIAN),
    progress: {
      current: view.getBigUint64(start + AT.progressCurrent, LITTLE_ENDIAN),
      total: view.getBigUint64(start + AT.progressTotal, LITTLE_ENDIAN),
      unit: progressUnitOf(view.getUint32(start + AT.progressUnit, LITTLE_ENDIAN)),
    },
    failureCode: failureCodeOf(view.getUint32(start + AT.failureCode, LITTLE_ENDIAN)),
    status: statusOf(view.getInt32(start + AT.status, LITTLE_ENDIAN)),
    numericSummary: numericSummaryAt(view, start),
    detail: detailAt(view, start),
    abiVersion: view.getUint32(start + AT.abiVersion, LITTLE_ENDIAN),
    structSize: view.getUint32(start + AT.structSize, LITTLE_ENDIAN),
  };
}

function eventAt(view: DataView, start: number): RuntimeEvent {
  const raw = view.getUint32(start + AT.kind, LITTLE_ENDIAN);
  const known = kindsByNumber.get(raw);
  const facts = factsAt(view, start);
  // The facts are spread first: into an empty object they are copied as a whole, which halves the cost of an event.
  if (known === undefined) return { ...facts, kind: "unknown", raw };
  const [kind, family] = known;
  // The pair comes from one row of the table, which is the correlation that the union states and the compiler loses.
  return { ...facts, kind, family } as RuntimeEvent;
}

/**
 * Decodes packed records, oldest first, into events that share no memory with the buffer. Total over content: whatever
 * the bytes say becomes an event, because unknown numbers are kept and lengths are bounded by the record.
 *
 * @param records a whole number of records of {@link RECORD_BYTES} bytes, in the machine's byte order (spec 4.2)
 * @throws RuntimeEventsError `RECORD_BUFFER_LENGTH` when the length is not a whole number of records
 */
export function decodeRecords(records: Uint8Array): RuntimeEvent[] {
  if (records.byteLength % RECORD_BYTES !== 0) {
    throw new RuntimeEventsError({
      code: "RECORD_BUFFER_LENGTH",
      message: `The buffer holds ${records.byteLength} bytes, which is not a whole number of records of ${RECORD_BYTES} bytes. Pass exactly the bytes that a drain has filled.`,
      found: records.byteLength,
      expected: RECORD_BYTES,
    });
  }
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
  const events: RuntimeEvent[] = [];
  for (let start = 0; start < records.byteLength; start += RECORD_BYTES) events.push(eventAt(view, start));
  return events;
}

/**
 * The value as a number where that is exact (at most 2^53 - 1), else undefined: a u64 forced through a double loses its
 * low bits in silence.
 */
export function exactNumber(value: bigint): number | undefined {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= 0n ? Number(value) : undefined;
}
