import type { Model, ModelOpenOptions, Runtime } from "@mesh/ffi/runtime";
import { RuntimeEventsError } from "../error.ts";
import type { RuntimeEvent } from "../event.ts";
import { whileOpening } from "../subscribe/busy.ts";
import { type ObservedOpen, observeOpen } from "./observe-open.ts";

/** What to open; the queue is this function's own. */
export type ObservedModelOpenOptions = ModelOpenOptions & { readonly queue?: never };

/** How the open is watched. */
export interface ObserveModelOpenOptions {
  /**
   * Gets every event in order, while the open still runs. Synchronous; when it throws, it loses that event only and the
   * observation counts it. `opening` is false for the events of the last drain, after the open has returned.
   */
  readonly onEvent: (event: RuntimeEvent, opening: boolean) => void;
  /** Records that the queue holds; the default never loses an event of a sound runtime, even if nothing is drained. */
  readonly capacity?: number;
}

/**
 * Opens a model and watches it: events arrive at the consumer while the open runs, and none that the queue holds is left
 * behind when it ends, on success, on failure and on cancellation alike. The promise resolves in all three cases, because the
 * observation of a failure is worth as much as that of a success; `result.kind` tells them apart, and `result` is the truth.
 *
 * A signal in the open's options ends waiting and observation; whether the native work stops is the runtime's ability.
 *
 * @throws RuntimeEventsError `INVALID_OPTION`, and FfiError `ARGUMENT_INVALID` for a bad capacity: nothing was started
 */
export async function observeModelOpen(
  runtime: Runtime,
  open: ObservedModelOpenOptions,
  { onEvent, capacity }: ObserveModelOpenOptions,
): Promise<ObservedOpen<Model>> {
  if (typeof onEvent !== "function") {
    throw new RuntimeEventsError({
      code: "INVALID_OPTION",
      message: `observeModelOpen needs "onEvent", a function that takes each event, and got ${typeof onEvent}.`,
      found: typeof onEvent,
      expected: "function",
    });
  }
  const queue = runtime.createModelOpenQueue(capacity === undefined ? {} : { capacity });
  return whileOpening(runtime, () => observeOpen(queue, () => runtime.openModel({ ...open, queue }), onEvent));
}
