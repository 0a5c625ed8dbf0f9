import type { RingCounters } from "@mesh/ffi/runtime";
import { RecordDrain, type RecordSource } from "../drain.ts";
import type { RuntimeEvent } from "../event.ts";
import type { ModelOpenObservation } from "./observation.ts";
import { type ModelOpenResult, openResult } from "./open-result.ts";
import { StreamRecord } from "./stream-record.ts";

/** Time between two drains while an open runs, in milliseconds (spec 5.1). */
export const DRAIN_INTERVAL_MS = 20;

/** How many records one timer tick drains at most; the rest waits for the next tick or for the last drain. */
export const TICK_RECORDS_MAX = 4_096;

/** The queue of one open, as far as observing needs it. */
export interface ObservedQueue extends RecordSource {
  counters(): RingCounters;
  close(): void;
}

/** The two things that come out of an observed open. */
export interface ObservedOpen<Opened> {
  readonly result: ModelOpenResult<Opened>;
  readonly observation: ModelOpenObservation;
}

/**
 * Drains the queue every {@link DRAIN_INTERVAL_MS} while the open runs and once more after it has ended, however it ended,
 * before anybody sees the result; then closes the queue. The order is what makes the last drain complete: an event can only
 * come before the native call returns, and the call has returned when `open` settles.
 */
export async function observeOpen<Opened>(
  queue: ObservedQueue,
  open: () => Promise<Opened>,
  onEvent: (event: RuntimeEvent, opening: boolean) => void,
): Promise<ObservedOpen<Opened>> {
  const drain = new RecordDrain(queue);
  const record = new StreamRecord();
  const deliver = (recordsMax: number, opening: boolean): void => {
    for (const event of drain.upTo(recordsMax)) {
      record.add(event, opening);
      try {
        onEvent(event, opening);
      } catch (error) {
        // The consumer loses this event only, and the open nothing: an observer cannot control what it observes.
        record.addConsumerError(error);
      }
    }
  };
  // The open itself keeps the process alive; a timer that did so too would keep it from ending when the open is let go.
  const timer = setInterval(deliver, DRAIN_INTERVAL_MS, TICK_RECORDS_MAX, true).unref();
  try {
    const result = await openResult(open);
    clearInterval(timer);
    deliver(Number.POSITIVE_INFINITY, false);
    return { result, observation: record.conclude(queue.counters(), result) };
  } finally {
    clearInterval(timer);
    queue.close();
  }
}
