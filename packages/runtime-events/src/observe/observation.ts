/**
 * Where the event stream and another witness disagree. The other witness is believed; the disagreement is reported:
 *
 * - `finished-but-failed`: the runtime sent FINISHED and the open failed.
 * - `failed-handled-but-opened`: the runtime sent FAILED_HANDLED and the open gave a model.
 * - `gap-without-loss`: more sequence numbers are missing than the counters admit to have lost.
 * - `order-broken`: a sequence number did not rise, which the stream of one open promises (spec 8).
 */
export type ModelOpenContradiction =
  | "finished-but-failed"
  | "failed-handled-but-opened"
  | "gap-without-loss"
  | "order-broken";

/** What was seen of one model open. Observations never decide: the result of the open is the truth (spec 0, 5.1). */
export interface ModelOpenObservation {
  /** Events that were decoded and offered to the consumer. */
  readonly drained: number;
  /** How many of them were drained before the open had returned; the rest came in the last drain. */
  readonly drainedWhileOpening: number;
  /** Well-formed events that found the queue full, or that came after the open had returned. */
  readonly dropped: number;
  /** Events that the native side refused as malformed. */
  readonly rejected: number;
  /** `dropped + rejected`. */
  readonly lost: number;
  readonly sawFinished: boolean;
  readonly sawFailedHandled: boolean;
  /** Neither terminal event was seen. Normal where the runtime sends no events, and never a contradiction. */
  readonly missingTerminal: boolean;
  /** Sequence number of the first drained event; undefined when there was none. */
  readonly firstSequence: bigint | undefined;
  /** Sequence number of the last drained event, which is not always the highest. */
  readonly lastSequence: bigint | undefined;
  /** Sequence numbers up to the highest one seen that no drained event had. Found without looking at the counters. */
  readonly missingSequences: bigint;
  readonly contradictions: readonly ModelOpenContradiction[];
  /** Events that were lost to the consumer alone, because it threw. */
  readonly consumerErrors: number;
  /** What the consumer threw first; undefined when it never did. */
  readonly firstConsumerError: unknown;
}
