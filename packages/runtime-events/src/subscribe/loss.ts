/**
 * Where events are missing, in the stream at the place of the loss. Counters say how many were lost; this says between which
 * two events.
 *
 * - `ring-full`: the ring of the process was full and the newest events were dropped.
 * - `ring-closed`: events came while nobody had the reporter installed, which a sound runtime does not do.
 * - `refused`: the native side refused malformed events.
 * - `subscriber-full`: this subscriber's own buffer was full; other subscribers may have got the events.
 */
export interface EventLoss {
  readonly kind: "lost";
  readonly reason: "ring-full" | "ring-closed" | "refused" | "subscriber-full";
  /** How many events are missing here, at least 1. */
  readonly count: number;
}
