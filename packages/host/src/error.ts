/** Why a host operation ended. The code is what callers branch on; the message is for people. */
export type HostErrorCode =
  | "STATE_DIRECTORY_INVALID"
  | "HOST_IDENTITY_INVALID"
  | "HOST_BUSY"
  | "ARGUMENT_INVALID"
  | "SKILL_UNREADABLE"
  | "SKILL_TOO_LARGE"
  | "SKILL_NOT_INSTALLED"
  | "CONSENT_DENIED"
  | "INSTALL_UNRESOLVED"
  | "INSTALL_FAILED"
  | "STORE_INCONSISTENT"
  | "DEMO_STEP_FAILED";

/** The facts of a {@link HostError}. Every member but code and message is optional, because each code has its own. */
export interface HostErrorFacts {
  readonly code: HostErrorCode;
  /** What was found, what was expected, and what to do. */
  readonly message: string;
  readonly path?: string;
  readonly found?: string;
  readonly expected?: string;
  /** The reason code of an install report. */
  readonly reason?: string;
  readonly cause?: unknown;
}

/** The one error class of this package. Errors of the packages below pass through it untouched, never relabelled. */
export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: HostErrorCode;
  readonly path: string | undefined;
  readonly found: string | undefined;
  readonly expected: string | undefined;
  readonly reason: string | undefined;

  constructor(facts: HostErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.path = facts.path;
    this.found = facts.found;
    this.expected = facts.expected;
    this.reason = facts.reason;
  }
}
