import type { EventDetail } from "./detail.ts";
import type { EventCategory, EventEmitter, EventStatus, FailureCode, ProgressUnit } from "./wire/codes.ts";
import type { EventFamilyOf, EventKind } from "./wire/kinds.ts";

/** Up to four numbers whose meaning belongs to the kind. `undefined` is "absent", which is not the same as 0n. */
export type NumericSummary = readonly [bigint | undefined, bigint | undefined, bigint | undefined, bigint | undefined];

/** Progress of the operation. Both numbers are exact; `total` is 0n where the runtime does not know the end. */
export interface EventProgress {
  readonly current: bigint;
  readonly total: bigint;
  readonly unit: ProgressUnit;
}

/**
 * What every event carries (spec 1.2 and 4.2). Every value comes from the runtime and none is checked beyond its size;
 * `modelId` and `sessionId` are addresses inside the process and `detail` may hold a path: keep all three private
 * (`toHostEvent` makes the form that may be shown).
 */
export interface RuntimeEventFacts {
  readonly category: EventCategory;
  readonly emitter: EventEmitter;
  /**
   * Number of the event, from 1. In the stream of one model open it rises strictly; through the process-wide reporter a
   * later number may arrive first, and a gap there proves nothing (spec 2.2).
   */
  readonly sequence: bigint;
  /** Monotonic time of the runtime in nanoseconds, microsecond resolution; 0n when its clock has not started. */
  readonly timestampMonotonicNs: bigint;
  /** Address of the native model, 0n until it exists. */
  readonly modelId: bigint;
  readonly stageId: bigint;
  /** Address of the native session, 0n for none. */
  readonly sessionId: bigint;
  readonly progress: EventProgress;
  readonly failureCode: FailureCode;
  readonly status: EventStatus;
  readonly numericSummary: NumericSummary;
  readonly detail: EventDetail;
  /** Version of the event struct as the runtime declared it; the native side admits only 1. */
  readonly abiVersion: number;
  /** Size of the event struct in bytes as the runtime declared it: 112 is the base, 144 brings the numeric summary. */
  readonly structSize: number;
}

/** An event of one known kind. */
export type RuntimeEventOf<Kind extends EventKind> = Kind extends EventKind
  ? RuntimeEventFacts & { readonly kind: Kind; readonly family: EventFamilyOf<Kind> }
  : never;

/** An event of any of the 34 known kinds, discriminated by `kind`. */
export type KnownRuntimeEvent = RuntimeEventOf<EventKind>;

/** An event of a kind that this package does not know: everything is kept, `raw` is the kind's number. */
export type UnknownRuntimeEvent = RuntimeEventFacts & { readonly kind: "unknown"; readonly raw: number };

/** An event as it came from the runtime, decoded without loss. */
export type RuntimeEvent = KnownRuntimeEvent | UnknownRuntimeEvent;
