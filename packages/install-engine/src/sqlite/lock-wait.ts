import { setTimeout as pause } from "node:timers/promises";
import { LOCK_PAUSE_MS_MAX, LOCK_PAUSE_MS_MIN } from "./limits.ts";

/** How long a caller is ready to wait. */
export interface LockWaitOptions {
  /** In milliseconds, at least 0; one attempt is always made. */
  readonly waitMsMax: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks `attempt` until it gives a value, with a random pause between two askings, so that the event loop stays free.
 * Undefined from `attempt` means "held by somebody else"; undefined from this function means that the time is over.
 *
 * The upper end of the pause shrinks with every attempt: who has waited longer asks more often, so that among many
 * processes the oldest waiter is the likeliest winner.
 *
 * @throws the signal's reason; no lock is held then.
 */
export async function waitForLock<T>(attempt: () => T | undefined, options: LockWaitOptions): Promise<T | undefined> {
  options.signal?.throwIfAborted();
  const deadline = performance.now() + options.waitMsMax;
  for (let attempts = 0; ; attempts += 1) {
    const held = attempt();
    if (held !== undefined) {
      return held;
    }
    const left = deadline - performance.now();
    if (left <= 0) {
      return undefined;
    }
    await pauseUnlessAborted(Math.min(left, pauseMs(attempts)), options.signal);
  }
}

function pauseMs(attempts: number): number {
  const upper = Math.max(LOCK_PAUSE_MS_MAX >> Math.floor(attempts / 4), LOCK_PAUSE_MS_MIN + 1);
  return LOCK_PAUSE_MS_MIN + Math.random() * (upper - LOCK_PAUSE_MS_MIN);
}

/** A pause that a signal ends with the signal's own reason, as every web API does, not with a timer's error. */
async function pauseUnlessAborted(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
