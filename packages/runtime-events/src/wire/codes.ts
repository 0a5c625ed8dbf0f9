/**
 * The closed vocabularies of an event (spec 1.4), each as a table from the number on the wire to its name. A runtime may
 * be newer than these tables: a number that is missing here is kept, never mapped to a neighbour and never an error.
 */
export const CATEGORY_NAMES = {
  1: "model-open",
  2: "backend",
  3: "session",
  4: "kv",
  5: "warning",
  6: "device",
  7: "diagnostic",
  8: "unload",
} as const;

/** Which thread of the runtime sent the event. `unknown-thread` is the runtime's own value 0, not a decoding failure. */
export const EMITTER_NAMES = { 0: "unknown-thread", 1: "open-thread", 2: "worker-thread" } as const;

/** What the progress numbers count. */
export const PROGRESS_UNIT_NAMES = { 0: "none", 1: "bytes", 2: "items", 3: "tensors", 4: "steps" } as const;

/** Why an operation failed, as the runtime classifies it. */
export const FAILURE_CODE_NAMES = {
  0: "none",
  1: "invalid-argument",
  2: "io-error",
  3: "model-error",
  4: "runtime-error",
  5: "backend-error",
  6: "cancelled",
  7: "internal-error",
} as const;

/** Status of the ABI's functions, repeated in events. The only signed one on the wire. */
export const STATUS_NAMES = {
  0: "ok",
  1: "error",
  2: "invalid-argument",
  3: "unsupported",
  4: "buffer-too-small",
  5: "io-error",
  6: "model-error",
  7: "runtime-error",
} as const;

/** A number that the tables of this package do not know, kept as it was. */
export interface UnknownCode {
  readonly kind: "unknown";
  readonly raw: number;
}

type NameIn<Names extends Record<number, string>> = Names[keyof Names & number] | UnknownCode;

/** Category of an event, or the number that is not one of the known categories. */
export type EventCategory = NameIn<typeof CATEGORY_NAMES>;
/** Emitter of an event, or the number that is not one of the known emitters. */
export type EventEmitter = NameIn<typeof EMITTER_NAMES>;
/** Unit of the progress numbers, or the number that is not one of the known units. */
export type ProgressUnit = NameIn<typeof PROGRESS_UNIT_NAMES>;
/** Failure code, or the number that is not one of the known codes. */
export type FailureCode = NameIn<typeof FAILURE_CODE_NAMES>;
/** Status, or the number that is not one of the known ones. */
export type EventStatus = NameIn<typeof STATUS_NAMES>;

/** Makes the total decoder of one vocabulary: the name where the number is known, else the number itself. */
export function codeDecoder<Name extends string>(
  names: Readonly<Record<number, Name>>,
): (raw: number) => Name | UnknownCode {
  const known = new Map(Object.entries(names).map(([raw, name]) => [Number(raw), name]));
  return (raw) => known.get(raw) ?? { kind: "unknown", raw };
}
