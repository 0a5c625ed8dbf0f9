import type { Runtime } from "@mesh/ffi/runtime";
import { RuntimeEventsError } from "../error.ts";
import type { StreamItem } from "./bounded-buffer.ts";
import { abortError, RuntimeEventStream } from "./event-stream.ts";
import type { HubCounters } from "./hub.ts";
import { hubOf } from "./runtime-hub.ts";

/** Items a stream buffers for its reader unless told otherwise: as many as the ring of the process holds. */
export const STREAM_ITEMS_DEFAULT = 1_024;

/** The largest buffer a stream can be asked for. */
export const STREAM_ITEMS_MAX = 65_536;

/** What both forms of a subscription can be told. */
interface SubscribeCommon {
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
  /** Whether waiting for events keeps the process alive; false unless given. */
  readonly keepAlive?: boolean;
}

/** How a stream of events is read. */
export interface RuntimeEventsOptions extends SubscribeCommon {
  /** Items buffered for the reader, 1 to {@link STREAM_ITEMS_MAX}; beyond it the newest are lost, counted and marked. */
  readonly capacity?: number;
}

/** How events are called back. */
export interface SubscribeOptions extends SubscribeCommon {
  /** Gets each event and each loss in order. Synchronous; when it throws, it loses that item only, and it is counted. */
  readonly onItem: (item: StreamItem) => void;
  /** Learns the error that ended the subscription, if one did. */
  readonly onError?: (error: unknown) => void;
}

/** A running callback subscription. */
export interface RuntimeEventSubscription extends AsyncDisposable {
  /** Items that were given to the callback, and how many of those it threw over. */
  counters(): { readonly delivered: number; readonly consumerErrors: number };
  /** Ends it; resolves when the reporter is cleared, if this was the last subscriber. Closing again is the same closing. */
  close(): Promise<void>;
}

function checkCapacity(capacity: number): number {
  if (Number.isSafeInteger(capacity) && capacity >= 1 && capacity <= STREAM_ITEMS_MAX) return capacity;
  throw new RuntimeEventsError({
    code: "INVALID_OPTION",
    message: `"capacity" must be an integer from 1 to ${STREAM_ITEMS_MAX} and is ${capacity}.`,
    found: capacity,
    expected: `1 to ${STREAM_ITEMS_MAX}`,
  });
}

/**
 * Reads the events of the process-wide reporter (kinds 100 and above, and kinds this package does not know). Resolves when events
 * flow, so that what happens next is seen. Any number of subscribers in this environment share the one reporter of the process;
 * none of them can slow down another or the runtime.
 *
 * @throws RuntimeEventsError `INVALID_OPTION`; an `AbortError` when the signal has fired; FfiError `REPORTER_UNSUPPORTED`,
 *   `REPORTER_OWNED` (another environment has it), `REPORTER_REFUSED`
 */
export async function runtimeEvents(
  runtime: Runtime,
  { capacity = STREAM_ITEMS_DEFAULT, signal, keepAlive = false }: RuntimeEventsOptions = {},
): Promise<RuntimeEventStream> {
  const stream = new RuntimeEventStream(checkCapacity(capacity), signal);
  if (signal?.aborted === true) throw abortError(signal);
  stream.connect(await hubOf(runtime).add(stream.subscriber(keepAlive)));
  return stream;
}

/** What is alive behind the subscriptions of a runtime in this environment: after the last one has gone, nothing. */
export function subscriptionCounters(runtime: Runtime): HubCounters {
  return hubOf(runtime).counters();
}
