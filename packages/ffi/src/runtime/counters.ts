import { COUNTER_NAMES } from "./native.ts";

/**
 * What happened to the events of one ring. Every counter but `queued` only grows. As soon as no callback is running,
 * `offered = accepted + droppedFull + droppedClosed + the four rejected` and `accepted = drained + queued`.
 */
export interface RingCounters {
  /** Callbacks that arrived. */
  readonly offered: number;
  /** Events that were copied into the ring or into its terminal cell. */
  readonly accepted: number;
  /** Well-formed events that found the ring full; the newest is lost, never an older one. */
  readonly droppedFull: number;
  /** Callbacks that arrived after their open had returned, which the ABI forbids, or after the ring was closed. */
  readonly droppedClosed: number;
  /** Callbacks without an event. */
  readonly rejectedNull: number;
  /** Events smaller than 112 bytes. */
  readonly rejectedShortStruct: number;
  /** Events of another event ABI version than 1. */
  readonly rejectedAbiVersion: number;
  /** Events that declare more detail than 1 MiB. */
  readonly rejectedOversizedDetail: number;
  /** Accepted events whose detail did not fit; counted beside, not instead. */
  readonly truncatedDetail: number;
  /** Records handed to a drain. */
  readonly drained: number;
  /** Records waiting for a drain. */
  readonly queued: number;
}

/** The four causes of a refusal, together. */
export function rejectedCount(counters: RingCounters): number {
  return (
    counters.rejectedNull +
    counters.rejectedShortStruct +
    counters.rejectedAbiVersion +
    counters.rejectedOversizedDetail
  );
}

/** Well-formed events that no drain will ever see. */
export function droppedCount(counters: RingCounters): number {
  return counters.droppedFull + counters.droppedClosed;
}

/** Reads all counters in one native call. A count stays exact up to 2^53. */
export function readCounters(fill: (counters: BigUint64Array) => void): RingCounters {
  const raw = new BigUint64Array(COUNTER_NAMES.length);
  fill(raw);
  const [offered, accepted, droppedFull, droppedClosed, ...rest] = Array.from(raw, Number);
  const [rejectedNull, rejectedShortStruct, rejectedAbiVersion, rejectedOversizedDetail, ...last] = rest;
  const [truncatedDetail, drained, queued] = last;
  return {
    offered: offered ?? 0,
    accepted: accepted ?? 0,
    droppedFull: droppedFull ?? 0,
    droppedClosed: droppedClosed ?? 0,
    rejectedNull: rejectedNull ?? 0,
    rejectedShortStruct: rejectedShortStruct ?? 0,
    rejectedAbiVersion: rejectedAbiVersion ?? 0,
    rejectedOversizedDetail: rejectedOversizedDetail ?? 0,
    truncatedDetail: truncatedDetail ?? 0,
    drained: drained ?? 0,
    queued: queued ?? 0,
  };
}
