/** Time between two drains while records arrive or an open runs, in milliseconds (design D4). */
export const ACTIVE_INTERVAL_MS = 20;

/** The longest time between two drains while nothing happens, in milliseconds. */
export const IDLE_INTERVAL_MS_MAX = 250;

/** The delay before the next drain: short while something happens, doubling up to the limit while nothing does. */
export function nextDelay(delayMs: number, active: boolean): number {
  return active ? ACTIVE_INTERVAL_MS : Math.min(delayMs * 2, IDLE_INTERVAL_MS_MAX);
}
