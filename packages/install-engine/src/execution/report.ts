import type { InstallDriverObservation, InstallReason } from "../driver.ts";
import type { ErrorFact } from "../error.ts";
import type { InstallOutcome } from "../journal/rows.ts";
import type { InstallExecutionStatus } from "../journal.ts";
import type { Transition } from "../types/transition.ts";

/**
 * What a run found (spec 3). Indeterminate is never settled. It holds no path, command, content, credential or token of
 * the engine's own; the facts of a reason are the driver's.
 */
export interface InstallExecutionReport {
  readonly outcome: "applied" | "failed" | "indeterminate";
  /** Whether this run won the claim, and so was the one that applied. */
  readonly claimWasNew: boolean;
  readonly settled: boolean;
  readonly executionBindingDigest: string;
  /** Digest of the observation; null on reports from durable rows and where nothing was observed. */
  readonly verificationDigest: string | null;
  /** The committed transition; only where this run settled. */
  readonly transition: Transition | null;
  /** Only for `failed`: absence proved that nothing was applied, so it may be offered again. */
  readonly retryable: boolean;
  /** Why it is not applied; never null for an indeterminate report. */
  readonly reason: InstallReason | null;
}

/** The report of a run that leaves the claim open. */
export function indeterminateReport(
  run: { readonly claimWasNew: boolean; readonly executionBindingDigest: string },
  reason: InstallReason,
  observation: InstallDriverObservation | null = null,
): InstallExecutionReport {
  return Object.freeze({
    outcome: "indeterminate",
    claimWasNew: run.claimWasNew,
    settled: false,
    executionBindingDigest: run.executionBindingDigest,
    verificationDigest: observation?.verificationDigest ?? null,
    transition: null,
    retryable: false,
    reason,
  });
}

/** The report that durable rows alone give. */
export function statusReport(
  status: Extract<InstallExecutionStatus, { readonly state: "settled" }>,
): InstallExecutionReport {
  return Object.freeze({
    outcome: status.outcome.outcome,
    claimWasNew: false,
    settled: true,
    executionBindingDigest: status.claim.executionBindingDigest,
    verificationDigest: null,
    transition: null,
    retryable: besideOutcome(status.outcome).retryable,
    reason: besideOutcome(status.outcome).reason,
  });
}

/** What an outcome keeps beside itself: what absence proved, and why. */
export interface BesideOutcome {
  readonly retryable: boolean;
  readonly reason: InstallReason | null;
}

/** Reads what an outcome keeps beside itself; its text is covered by the journal's entry chain. */
export function besideOutcome(outcome: InstallOutcome): BesideOutcome {
  const beside: unknown = outcome.besideText === null ? null : JSON.parse(outcome.besideText);
  if (typeof beside !== "object" || beside === null) {
    return { retryable: false, reason: null };
  }
  return {
    retryable: "retryable" in beside && beside.retryable === true,
    reason: "reason" in beside ? readReason(beside.reason) : null,
  };
}

function readReason(value: unknown): InstallReason | null {
  if (typeof value !== "object" || value === null || !("code" in value) || typeof value.code !== "string") {
    return null;
  }
  return { code: value.code, facts: "facts" in value ? plainFacts(value.facts) : {} };
}

/** The members of an object that are plain facts; anything else is left out, since a driver may answer anything. */
export function plainFacts(value: unknown): Readonly<Record<string, ErrorFact>> {
  if (typeof value !== "object" || value === null) {
    return {};
  }
  const isFact = (fact: unknown): fact is ErrorFact =>
    fact === null || typeof fact === "string" || typeof fact === "boolean" || Number.isFinite(fact);
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, ErrorFact] => isFact(entry[1])));
}
