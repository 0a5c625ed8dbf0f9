import type { JournalErrorCode } from "./journal-error-code.ts";

/** Codes of the pure core: malformed values, refused state changes, refused substitutions. */
export type CoreErrorCode =
  | "INVALID_CANONICAL_VALUE"
  | "INVALID_VALUE"
  | "NOT_CANONICAL"
  | "DIGEST_MISMATCH"
  | "EVENT_REFUSED"
  | "REPLAY_DIVERGED"
  | "REDUCER_VERSION_UNSUPPORTED";

/** Codes of the engine: what it refuses between a plan and a settlement. */
export type EngineErrorCode =
  | "ABANDON_REFUSED"
  | "ACTION_ABANDONED"
  | "ACTION_CLAIMED"
  | "ACTION_EXPIRED"
  | "ACTION_NOT_EXPIRED"
  | "ACTION_NOT_PENDING"
  | "ACTION_SETTLED"
  | "ACTION_SUBSTITUTED"
  | "BINDING_SUBSTITUTED"
  | "CATALOG_SUBSTITUTED"
  | "CLAIM_REQUIRED"
  | "CONSENT_EXPIRED"
  | "CONSENT_GUARD_FAILED"
  | "CONSENT_NOT_EXPIRED"
  | "CONSENT_NOT_PENDING"
  | "CONSENT_ROUTE_REFUSED"
  | "DESCRIPTOR_BLOCKED"
  | "DESCRIPTOR_SUBSTITUTED"
  | "DRIVER_DUPLICATE"
  | "DRIVER_NOT_REGISTERED"
  | "ENGINE_CLOSED"
  | "HANDLE_CONSUMED"
  | "HANDLE_NOT_CLONEABLE"
  | "HANDLE_PROCESS_MISMATCH"
  | "HANDLE_THREAD_MISMATCH"
  | "INSTALL_PENDING"
  | "MATERIAL_SUBSTITUTED"
  | "NOT_RETRYABLE"
  | "OUTCOME_REFUSED"
  | "OUTCOME_REQUIRED"
  | "POLICY_SUBSTITUTED"
  | "REBIND_REFUSED"
  | "SELECTION_SUBSTITUTED"
  | "SETTLEMENT_CONTENDED"
  | "SNAPSHOT_CONTENDED"
  | "TARGET_REFUSED";

/** Every code an {@link InstallEngineError} can carry. */
export type InstallEngineErrorCode = CoreErrorCode | EngineErrorCode | JournalErrorCode;

/** A fact of an error: plain data, never content, credential or token. */
export type ErrorFact = string | number | boolean | null;

/** What an {@link InstallEngineError} is made from. */
export interface InstallEngineErrorInput {
  readonly code: InstallEngineErrorCode;
  /** What was found, what was expected, what to do. */
  readonly message: string;
  readonly cause?: unknown;
  readonly facts?: Readonly<Record<string, ErrorFact>>;
}

/**
 * The one error class of this package (design D9).
 *
 * Switch on `code`, never on the message. The facts are the values that the message speaks of, as data.
 */
export class InstallEngineError extends Error {
  override readonly name = "InstallEngineError";
  readonly code: InstallEngineErrorCode;
  readonly facts: Readonly<Record<string, ErrorFact>>;

  constructor(input: InstallEngineErrorInput) {
    super(input.message, input.cause === undefined ? undefined : { cause: input.cause });
    this.code = input.code;
    this.facts = Object.freeze({ ...input.facts });
  }
}

/**
 * Whether an error ends the run (design D9): the caller's signal is aborted and the error is its reason or an
 * `AbortError`, or the error's `fatal` is true. A fatal error is re-thrown after settlement; every other error becomes
 * the report's reason.
 */
export function isFatal(error: unknown, signal?: AbortSignal): boolean {
  if (signal?.aborted === true && error === signal.reason) {
    return true;
  }
  if (typeof error !== "object" || error === null) {
    return false;
  }
  const aborted = signal?.aborted === true && "name" in error && error.name === "AbortError";
  return aborted || ("fatal" in error && error.fatal === true);
}
