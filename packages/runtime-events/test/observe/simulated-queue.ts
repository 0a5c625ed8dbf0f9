import { RECORD_BYTES, type RingCounters } from "@mesh/ffi/runtime";
import type { ObservedQueue } from "../../src/observe/observe-open.ts";
import { encodeRecords, type RawRecord } from "../record.ts";

/**
 * A queue in JavaScript that a test fills at the moment it wants: the native one cannot be made to receive an event between two
 * chosen drains. It keeps the native rules: bounded, newest dropped, a terminal cell that is drained last, counters per cause.
 */
export class SimulatedQueue implements ObservedQueue {
  readonly #capacity: number;
  readonly #ring: RawRecord[] = [];
  #terminal: RawRecord | undefined;
  #sequence = 0n;
  readonly #counters = { accepted: 0, droppedFull: 0, droppedClosed: 0, rejectedNull: 0, drained: 0 };
  closed = false;
  drains = 0;

  constructor(capacity = 1_064) {
    this.#capacity = capacity;
  }

  /** One event of the runtime; the sequence number is taken even when the record is lost. */
  push(record: RawRecord): void {
    this.#sequence += 1n;
    const numbered = { ...record, sequence: this.#sequence };
    const terminal = record.kind === 4 || record.kind === 5;
    if (this.#ring.length < this.#capacity) {
      this.#ring.push(numbered);
    } else if (terminal && this.#terminal === undefined) {
      this.#terminal = numbered;
    } else {
      this.#counters.droppedFull += 1;
      return;
    }
    this.#counters.accepted += 1;
  }

  /** One event with a sequence number of the test's choice. */
  pushAs(record: RawRecord): void {
    this.#ring.push(record);
    this.#counters.accepted += 1;
  }

  /** One event that the native side refused. */
  reject(): void {
    this.#sequence += 1n;
    this.#counters.rejectedNull += 1;
  }

  drainInto(buffer: Uint8Array, recordsMax: number): number {
    if (this.closed) throw new Error("drained after close");
    this.drains += 1;
    const records = this.#ring.splice(0, recordsMax);
    if (records.length < recordsMax && this.#terminal !== undefined) {
      records.push(this.#terminal);
      this.#terminal = undefined;
    }
    buffer.set(encodeRecords(records).subarray(0, records.length * RECORD_BYTES));
    this.#counters.drained += records.length;
    return records.length;
  }

  counters(): RingCounters {
    const { accepted, droppedFull, droppedClosed, rejectedNull, drained } = this.#counters;
    return {
      offered: accepted + droppedFull + droppedClosed + rejectedNull,
      accepted,
      droppedFull,
      droppedClosed,
      rejectedNull,
      rejectedShortStruct: 0,
      rejectedAbiVersion: 0,
      rejectedOversizedDetail: 0,
      truncatedDetail: 0,
      drained,
      queued: accepted - drained,
    };
  }

  close(): void {
    this.closed = true;
  }
}
