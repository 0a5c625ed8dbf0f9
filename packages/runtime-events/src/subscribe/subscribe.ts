import type { Runtime } from "@mesh/ffi/runtime";
import { RuntimeEventsError } from "../error.ts";
import type { StreamItem } from "./bounded-buffer.ts";
import { abortError } from "./event-stream.ts";
import type { Subscriber } from "./hub.ts";
import { hubOf } from "./runtime-hub.ts";
import type { RuntimeEventSubscription, SubscribeOptions } from "./runtime-events.ts";

/** The callback's side of a subscription: it is called in the drain itself, so nothing is buffered for it. */
class CallbackSubscriber implements Subscriber {
  readonly keepAlive: boolean;
  readonly #onItem: (item: StreamItem) => void;
  readonly #onFail: (error: unknown) => void;
  #delivered = 0;
  #consumerErrors = 0;
  ended = false;

  constructor({ onItem, keepAlive = false }: SubscribeOptions, onFail: (error: unknown) => void) {
    this.#onItem = onItem;
    this.#onFail = onFail;
    this.keepAlive = keepAlive;
  }

  offer(item: StreamItem): void {
    if (this.ended) return;
    this.#delivered += 1;
    try {
      this.#onItem(item);
    } catch {
      // One consumer's failure is its own: the runtime and the other subscribers go on.
      this.#consumerErrors += 1;
    }
  }

  fail(error: unknown): void {
    if (this.ended) return;
    try {
      this.#onFail(error);
    } catch {
      this.#consumerErrors += 1;
    }
  }

  counters(): { delivered: number; consumerErrors: number } {
    return { delivered: this.#delivered, consumerErrors: this.#consumerErrors };
  }
}

/**
 * The callback form of `runtimeEvents`: every event and every loss, in the order of the ring, called in the drain. Resolves when
 * events flow.
 *
 * @throws as `runtimeEvents`
 */
export async function subscribeRuntimeEvents(
  runtime: Runtime,
  options: SubscribeOptions,
): Promise<RuntimeEventSubscription> {
  const { onItem, onError, signal } = options;
  if (typeof onItem !== "function") {
    throw new RuntimeEventsError({
      code: "INVALID_OPTION",
      message: `subscribeRuntimeEvents needs "onItem", a function that takes each event, and got ${typeof onItem}.`,
      found: typeof onItem,
      expected: "function",
    });
  }
  if (signal?.aborted === true) throw abortError(signal);
  let closing: Promise<void> | undefined;
  let leave: () => Promise<void> = () => Promise.resolve();
  const subscriber = new CallbackSubscriber(options, (error) => {
    // Nobody waits for this closing; a clear that fails is reported to whoever calls close.
    close().catch(() => undefined);
    onError?.(error);
  });
  const onAbort = (): void => {
    subscriber.fail(abortError(signal));
  };
  const close = (): Promise<void> => {
    subscriber.ended = true;
    signal?.removeEventListener("abort", onAbort);
    closing ??= leave();
    return closing;
  };
  leave = await hubOf(runtime).add(subscriber);
  signal?.addEventListener("abort", onAbort, { once: true });
  if (isAborted(signal)) onAbort();
  return { close, counters: () => subscriber.counters(), [Symbol.asyncDispose]: close };
}

/** A read of its own, since the compiler holds `aborted` to what it was before the wait. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
