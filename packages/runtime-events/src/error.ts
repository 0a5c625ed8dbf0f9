/**
 * The reasons this package refuses a call:
 *
 * - `RECORD_BUFFER_LENGTH`: the bytes given to the decoder are not a whole number of records.
 * - `INVALID_OPTION`: an option is outside its range or of the wrong type; nothing was started.
 */
export type RuntimeEventsErrorCode = "RECORD_BUFFER_LENGTH" | "INVALID_OPTION";

/** What a {@link RuntimeEventsError} is built from: the code, the sentence for people, and the facts as fields. */
export interface RuntimeEventsErrorFacts {
  readonly code: RuntimeEventsErrorCode;
  readonly message: string;
  readonly cause?: unknown;
  /** What was found, where a single value says it. */
  readonly found?: string | number;
  /** What was expected in its place. */
  readonly expected?: string | number;
}

/** Every error this package itself raises. Errors of the native layer pass through unchanged. */
export class RuntimeEventsError extends Error {
  override readonly name = "RuntimeEventsError";
  readonly code: RuntimeEventsErrorCode;
  readonly found: string | number | undefined;
  readonly expected: string | number | undefined;

  constructor(facts: RuntimeEventsErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.found = facts.found;
    this.expected = facts.expected;
  }
}
