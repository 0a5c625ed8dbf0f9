import { RECORD_BYTES } from "../abi/layout.ts";
import { FfiError } from "../error.ts";
import { checkInteger, invalidArgument } from "./argument.ts";
import { type RingCounters, readCounters } from "./counters.ts";
import { nativeRuntime, type QueueHandle } from "./native.ts";

/**
 * Records one open can leave undrained without losing any: the proven bound of 1,000 progress events and 64 others
 * (spec 4.3).
 */
export const MODEL_OPEN_RECORDS_DEFAULT = 1_064;

/** The largest queue that can be asked for; its records take about 29 MB. */
export const MODEL_OPEN_RECORDS_MAX = 65_536;

export interface ModelOpenQueueOptions {
  /** Records the ring holds, beside the terminal one; 1 to {@link MODEL_OPEN_RECORDS_MAX}. */
  readonly capacity?: number;
}

/** Keeps the native handle out of the public shape of a queue. */
const handles = new WeakMap<ModelOpenQueue, QueueHandle>();
const used = new WeakSet<ModelOpenQueue>();

/**
 * The bounded, preallocated ring that takes the events of one open. Native code fills it without ever waiting; when it is
 * full the newest event is dropped and counted, except that the first terminal event has a cell of its own and is drained
 * last. A queue outlives its open: what is in it stays drainable until `close`.
 */
export class ModelOpenQueue {
  readonly capacity: number;
  #closed = false;

  /** @internal Use `Runtime.createModelOpenQueue`. */
  constructor(options: ModelOpenQueueOptions = {}) {
    this.capacity = checkInteger("capacity", options.capacity ?? MODEL_OPEN_RECORDS_DEFAULT, 1, MODEL_OPEN_RECORDS_MAX);
    handles.set(this, nativeRuntime().createQueue(this.capacity));
  }

  /**
   * Moves up to `recordsMax` records, oldest first, into `buffer` as packed 392-byte records in the byte order of this
   * machine, and returns how many. Never waits. May be called while the open runs.
   *
   * @throws FfiError `QUEUE_CLOSED`; `ARGUMENT_INVALID` when the buffer has no room for `recordsMax` records.
   */
  drainInto(buffer: Uint8Array, recordsMax: number): number {
    checkDrainRoom(buffer, recordsMax);
    return nativeRuntime().drainQueue(this.#handle(), buffer, recordsMax);
  }

  /**
   * All counters, read at one moment.
   *
   * @throws FfiError `QUEUE_CLOSED`
   */
  counters(): RingCounters {
    const handle = this.#handle();
    return readCounters((raw) => {
      nativeRuntime().readQueueCounters(handle, raw);
    });
  }

  /** Gives the memory back; what was not drained is gone. While an open still runs, its events are counted and dropped. */
  close(): void {
    if (this.#closed) return;
    nativeRuntime().closeQueue(this.#handle());
    this.#closed = true;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #handle(): QueueHandle {
    const handle = handles.get(this);
    if (this.#closed || handle === undefined) {
      throw new FfiError({
        code: "QUEUE_CLOSED",
        message: "this queue was closed; create another one for the next open.",
      });
    }
    return handle;
  }
}

/** Takes the one use of a queue. @internal */
export function claimQueue(queue: ModelOpenQueue): QueueHandle {
  const handle = handles.get(queue);
  if (handle === undefined) throw invalidArgument("queue", "a queue of this runtime", queue);
  // Throws when the queue is closed.
  queue.counters();
  if (used.has(queue)) {
    throw new FfiError({
      code: "QUEUE_ALREADY_USED",
      message: "this queue has served an open; its sequence numbers belong to that one. Create a queue for each open.",
    });
  }
  used.add(queue);
  return handle;
}

/** One check for every drain, so that native code only sees sizes that fit. @internal */
export function checkDrainRoom(buffer: Uint8Array, recordsMax: number): void {
  if (!(buffer instanceof Uint8Array)) throw invalidArgument("buffer", "a Uint8Array", buffer);
  checkInteger("recordsMax", recordsMax, 0, Math.floor(buffer.byteLength / RECORD_BYTES));
}
