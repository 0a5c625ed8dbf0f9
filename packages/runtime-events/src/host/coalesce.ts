import type { HostEvent } from "./host-event.ts";

/** Shortest time between two progress events that are passed on, in milliseconds (spec 5.2). */
export const PROGRESS_INTERVAL_MS = 100;

/** Where coalesced events go, and what time it is. */
export interface CoalesceOptions {
  readonly deliver: (event: HostEvent) => void;
  /** Monotonic milliseconds; the process's own clock unless given. */
  readonly now?: () => number;
}

/** Thins progress out; everything else passes at once. */
export interface ProgressCoalescer {
  /** Takes the next event. */
  offer(event: HostEvent): void;
  /** Passes the progress on that was held back last, if any: call it when the stream ends. */
  flush(): void;
}

/**
 * Passes the first progress event on at once and then at most one every {@link PROGRESS_INTERVAL_MS}. The newest one that was held
 * back goes out before any other event, so no reader sees a finished load that stopped short of its last progress.
 */
export function coalesceProgress({ deliver, now = () => performance.now() }: CoalesceOptions): ProgressCoalescer {
  let held: HostEvent | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  const pass = (event: HostEvent): void => {
    held = undefined;
    lastAt = now();
    deliver(event);
  };
  const flush = (): void => {
    if (held !== undefined) pass(held);
  };
  return {
    offer(event) {
      if (event.kind !== "model-open-progress") {
        flush();
        deliver(event);
      } else if (now() - lastAt >= PROGRESS_INTERVAL_MS) {
        pass(event);
      } else {
        held = event;
      }
    },
    flush,
  };
}
