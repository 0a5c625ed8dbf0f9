import { BoundedBuffer, type StreamItem } from "./bounded-buffer.ts";
import type { Subscriber } from "./hub.ts";

/** What one stream has done so far. All numbers only grow, except `buffered`. */
export interface EventStreamCounters {
  /** Items that the reader has taken. */
  readonly delivered: number;
  /** Events that this stream's own buffer had no room for. */
  readonly lost: number;
  /** Items that wait for the reader now. */
  readonly buffered: number;
}

/** One reader that waits for the next item. */
interface Waiting {
  resolve(result: IteratorResult<StreamItem, undefined>): void;
  reject(error: unknown): void;
}

/**
 * The events of the process-wide ring for one reader: `for await` over it, and leave the loop to give everything back. The
 * buffer is bounded; a reader that is slower than the runtime loses the newest events and finds `{ kind: "lost" }` in their
 * place. Calls of `next` that overlap are served in their order, so two loops over one stream share its items.
 */
export class RuntimeEventStream implements AsyncIterableIterator<StreamItem, undefined>, AsyncDisposable {
  readonly #buffer: BoundedBuffer;
  readonly #waiting: Waiting[] = [];
  readonly #signal: AbortSignal | undefined;
  #delivered = 0;
  #ended = false;
  #failure: { error: unknown } | undefined;
  #leave: (() => Promise<void>) | undefined;
  #left: Promise<void> | undefined;

  /** @internal Use `runtimeEvents`. */
  constructor(capacity: number, signal: AbortSignal | undefined) {
    this.#buffer = new BoundedBuffer(capacity);
    this.#signal = signal;
  }

  /** What the hub talks to. @internal */
  subscriber(keepAlive: boolean): Subscriber {
    return {
      keepAlive,
      offer: (item) => {
        this.#offer(item);
      },
      fail: (error) => {
        this.#fail(error);
      },
    };
  }

  /** Connects the stream once it is subscribed. @internal */
  connect(leave: () => Promise<void>): void {
    this.#leave = leave;
    this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (this.#signal?.aborted === true) this.#onAbort();
  }

  counters(): EventStreamCounters {
    return { delivered: this.#delivered, lost: this.#buffer.lost, buffered: this.#buffer.size };
  }

  /**
   * The next event or loss; done when the stream was closed.
   *
   * @throws the signal's reason as cause of an `AbortError` when the signal ended the stream; FfiError when the ring was taken away
   */
  next(): Promise<IteratorResult<StreamItem, undefined>> {
    if (this.#failure !== undefined) {
      const { error } = this.#failure;
      this.#failure = undefined;
      return Promise.reject(error instanceof Error ? error : new Error("the stream failed", { cause: error }));
    }
    const item = this.#ended ? undefined : this.#buffer.shift();
    if (item !== undefined) return Promise.resolve(this.#taken(item));
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Ends the stream: readers that wait are done, the buffer is emptied, and the last subscriber's leaving clears the reporter. */
  async return(): Promise<IteratorResult<StreamItem, undefined>> {
    await this.close();
    return { done: true, value: undefined };
  }

  /** The same as `return`, for whoever holds the stream without a loop. Closing again is the same closing. */
  close(): Promise<void> {
    this.#end();
    this.#left ??= this.#leave?.() ?? Promise.resolve();
    return this.#left;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #taken(item: StreamItem): IteratorResult<StreamItem, undefined> {
    this.#delivered += 1;
    return { done: false, value: item };
  }

  #offer(item: StreamItem): void {
    if (this.#ended) return;
    const reader = this.#waiting.shift();
    if (reader === undefined) {
      this.#buffer.push(item);
    } else {
      reader.resolve(this.#taken(item));
    }
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    const reader = this.#waiting.shift();
    if (reader === undefined) {
      this.#failure = { error };
    } else {
      reader.reject(error);
    }
    // Nobody waits for this closing; a clear that fails is reported to whoever calls close.
    this.close().catch(() => undefined);
  }

  #end(): void {
    this.#ended = true;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#buffer.clear();
    for (const reader of this.#waiting.splice(0)) reader.resolve({ done: true, value: undefined });
  }

  readonly #onAbort = (): void => {
    this.#fail(abortError(this.#signal));
  };
}

/** The error that an aborted wait ends with, named as every interface of Node names it. */
export function abortError(signal: AbortSignal | undefined): Error {
  const error = new Error("the subscription was ended by its signal", { cause: signal?.reason });
  error.name = "AbortError";
  return error;
}
