import { decodeRecords } from "./decode.ts";
import type { RuntimeEvent } from "./event.ts";
import { RECORD_BYTES } from "./wire/layout.ts";

/** Where records come from: the queue of one open, or the ring of the process. */
export interface RecordSource {
  /** Moves at most `recordsMax` records into the buffer, oldest first, and returns how many. */
  drainInto(buffer: Uint8Array, recordsMax: number): number;
}

/**
 * How many records one native call moves: 100 KB, decoded in well under a millisecond, so that a full ring is drained in a few
 * pieces and no piece holds the event loop.
 */
export const DRAIN_RECORDS_MAX = 256;

/** Drains one source through one buffer that is used again and again; the events share no memory with it. */
export class RecordDrain {
  readonly #source: RecordSource;
  readonly #buffer = new Uint8Array(DRAIN_RECORDS_MAX * RECORD_BYTES);

  constructor(source: RecordSource) {
    this.#source = source;
  }

  /** The next events, at most as many as asked for and {@link DRAIN_RECORDS_MAX}; an empty list when nothing is queued. */
  next(recordsMax: number = DRAIN_RECORDS_MAX): RuntimeEvent[] {
    const count = this.#source.drainInto(this.#buffer, Math.min(recordsMax, DRAIN_RECORDS_MAX));
    return decodeRecords(this.#buffer.subarray(0, count * RECORD_BYTES));
  }

  /**
   * Events until the source was found empty or `recordsMax` were given: a native producer that never pauses cannot hold the
   * event loop for ever.
   */
  *upTo(recordsMax: number): Generator<RuntimeEvent, void, undefined> {
    for (let given = 0; given < recordsMax; ) {
      const events = this.next();
      yield* events;
      given += events.length;
      if (events.length < DRAIN_RECORDS_MAX) return;
    }
  }
}
