import {
  droppedCount,
  RECORD_BYTES,
  rejectedCount,
  REPORTER_RECORDS_MAX,
  type RuntimeReporter,
} from "@mesh/ffi/runtime";
import { decodeRecords, type RuntimeEvent } from "@mesh/runtime-events";

/** The process-wide ring, taken by hand: the gate counts what arrived between two of its own steps. */
export interface ReporterDrain {
  /** Everything on the ring, oldest first; each event is also told to the listener. */
  take(): readonly RuntimeEvent[];
  /** Empties the ring without telling anybody. */
  discard(): void;
  /** Losses since the drain was made; the counters themselves go on for the life of the process. */
  dropped(): number;
  rejected(): number;
}

export function drainReporter(reporter: RuntimeReporter, listener: (event: RuntimeEvent) => void): ReporterDrain {
  const buffer = new Uint8Array(REPORTER_RECORDS_MAX * RECORD_BYTES);
  const before = reporter.counters();
  const drain = (): readonly RuntimeEvent[] => {
    const count = reporter.drainInto(buffer, REPORTER_RECORDS_MAX);
    return decodeRecords(buffer.subarray(0, count * RECORD_BYTES));
  };
  return {
    take: () => {
      const events = drain();
      events.forEach(listener);
      return events;
    },
    discard: () => {
      drain();
    },
    dropped: () => droppedCount(reporter.counters()) - droppedCount(before),
    rejected: () => rejectedCount(reporter.counters()) - rejectedCount(before),
  };
}
