/** What went wrong, as a stable name to switch on. */
export type EvidenceErrorCode =
  /** A marker name or line that the grammar does not allow, or a name that belongs to the format itself. */
  | "INVALID_MARKER"
  /** `executed` was asked for although no step was recorded: zero steps prove nothing. */
  | "EVIDENCE_EMPTY"
  /** The run has already written its final state. */
  | "EVIDENCE_FINISHED"
  /** At the end the file no longer holds this run's start marker: another run owns it now. */
  | "EVIDENCE_TAKEN"
  /** More lines than a file may have. */
  | "EVIDENCE_TOO_LARGE"
  /** The path is there and is not a regular file, so it cannot be replaced. */
  | "NOT_A_FILE"
  /** The file system refused; the cause is Node's own error. */
  | "WRITE_FAILED"
  /** A subject could not be read to take its digest; the cause is Node's own error. */
  | "SUBJECT_UNREADABLE"
  /** A requested run lacks a prerequisite. */
  | "GATE_BLOCKED"
  /** A requirement, age or subject of a policy that cannot be understood. */
  | "INVALID_POLICY";

/** Facts of an error, beside its code and message. */
export interface EvidenceErrorFacts {
  /** The file concerned. */
  readonly path?: string;
  /** What was there. */
  readonly found?: string;
  /** What should have been there. */
  readonly expected?: string;
}

/** Every error this package throws on purpose. */
export class EvidenceError extends Error {
  readonly code: EvidenceErrorCode;
  readonly path: string | undefined;
  readonly found: string | undefined;
  readonly expected: string | undefined;

  constructor(options: { code: EvidenceErrorCode; message: string; cause?: unknown } & EvidenceErrorFacts) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "EvidenceError";
    this.code = options.code;
    this.path = options.path;
    this.found = options.found;
    this.expected = options.expected;
  }
}

/** The first line of what a failure says; a stack or a long report is not evidence. Never empty. */
export function firstLine(failure: unknown): string {
  const text = failure instanceof Error ? failure.message : String(failure);
  const line = text.split(/[\r\n\u2028\u2029]/u).find((one) => one.trim() !== "");
  return line?.trim() ?? (failure instanceof Error ? `${failure.name} without a message` : "failure without a message");
}
