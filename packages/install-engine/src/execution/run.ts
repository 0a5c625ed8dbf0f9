import { canonicalJson } from "../canonical-json.ts";
import type { InstallDriverObservation, InstallReason } from "../driver.ts";
import { type AuthorizedInstall, claimInstall, isKnownPending, pendingEffectOf } from "../engine/authorize.ts";
import { type EngineContext, viewStream } from "../engine/context.ts";
import { InstallEngineError } from "../error.ts";
import type { InstallClaim, InstallOutcome } from "../journal/rows.ts";
import type { JournalWaitOptions, OutcomeResult } from "../journal.ts";
import type { InstallDriverRegistration } from "../registry.ts";
import { hostActionText, parseInstallAction } from "../types/action.ts";
import { type BindingMatch, matchBinding } from "./binding.ts";
import { driveInstall } from "./drive.ts";
import { besideOutcome, type InstallExecutionReport, indeterminateReport, plainFacts, statusReport } from "./report.ts";
import { settleInstall } from "./settle.ts";

/**
 * One run of an action, under its lock (spec 7.2, step 4): claim if nobody has, otherwise only look; settle what was
 * seen.
 */
export async function runInstall(
  context: EngineContext,
  install: AuthorizedInstall,
  options: JournalWaitOptions,
): Promise<InstallExecutionReport> {
  const { action, streamKey, registration } = install;
  // Whether a grant of this engine's own is claimed, making the claim finds out as well.
  if (!context.views.takeGrant(action.actionId) || !isKnownPending(context, install)) {
    const before = await context.journal.status({ streamKey, actionId: action.actionId }, options);
    if (before.state !== "unclaimed") {
      requireSameAction(before.claim, install);
      return finishClaim(context, before.claim, registration, false, options);
    }
  }
  const { claim, won } = await claimInstall(context, install, options);
  requireSameAction(claim, install);
  return finishClaim(context, claim, registration, won, options);
}

/**
 * Brings a claim to its end, or says why it stays open. Used by a handle and by recovery: from here on only the claim,
 * the driver and the world count.
 */
export async function finishClaim(
  context: EngineContext,
  claim: InstallClaim,
  registration: InstallDriverRegistration,
  claimWasNew: boolean,
  options: JournalWaitOptions,
): Promise<InstallExecutionReport> {
  const run = { claimWasNew, executionBindingDigest: claim.executionBindingDigest };
  const ended = claimWasNew ? null : await finishedBefore(context, claim, run, options);
  if (ended !== null) {
    return ended;
  }
  const match = await bindingOf(context, claim, registration, options);
  if (match.kind === "renumbered") {
    return indeterminateReport(run, match.reason);
  }
  const action = parseInstallAction(claim.actionText);
  const { signal } = options;
  const driven = await driveInstall(
    registration,
    {
      action,
      descriptor: action.payload.installPlanDescriptor,
      binding: registration.binding,
      ...(signal === undefined ? {} : { signal }),
    },
    claimWasNew,
  );
  // From here on the caller's signal must not stop anything: what was seen has to become durable first.
  const report = await concludeRun(context, claim, registration, run, driven);
  if (driven.fatal !== null) {
    throw driven.fatal.error;
  }
  return report;
}

/** What the rows of a claim say without any look at the world; null while only that look can tell. */
async function finishedBefore(
  context: EngineContext,
  claim: InstallClaim,
  run: Run,
  options: JournalWaitOptions,
): Promise<InstallExecutionReport | null> {
  const status = await context.journal.status(claim, options);
  switch (status.state) {
    case "settled":
      return statusReport(status);
    case "abandoned":
      return indeterminateReport(run, { code: "abandoned", facts: {} });
    case "outcome-recorded":
      return settledReport(run, status.outcome, null, await settleInstall(context, claim, status.outcome, options));
    case "claimed":
    case "unclaimed":
      return null;
  }
}

/** Whether this driver may finish the claim. Only a binding that differs has to be looked up in the stream. */
async function bindingOf(
  context: EngineContext,
  claim: InstallClaim,
  registration: InstallDriverRegistration,
  options: JournalWaitOptions,
): Promise<BindingMatch> {
  if (claim.executionBindingDigest === registration.binding.bindingDigest) {
    return { kind: "same" };
  }
  const { state } = await viewStream(context, claim.streamKey, options);
  return matchBinding(claim, registration, pendingEffectOf(state, claim.actionId));
}

interface Run {
  readonly claimWasNew: boolean;
  readonly executionBindingDigest: string;
}

async function concludeRun(
  context: EngineContext,
  claim: InstallClaim,
  registration: InstallDriverRegistration,
  run: Run,
  driven: { readonly observation: InstallDriverObservation | null; readonly reason: InstallReason | null },
): Promise<InstallExecutionReport> {
  const { observation, reason } = driven;
  const expected = parseInstallAction(claim.actionText).payload.resultMaterial.identityDigest;
  if (observation === null) {
    return indeterminateReport(run, reason ?? { code: "driver-observation-malformed", facts: {} });
  }
  if (observation.state === "conflict" || observation.state === "indeterminate") {
    return indeterminateReport(run, reason ?? { code: `observed-${observation.state}`, facts: {} }, observation);
  }
  const applied = observation.state === "installed-exact";
  const seen = observation.observedMaterialIdentityDigest;
  if (applied && seen !== expected) {
    const facts = { found: seen ?? null, expected };
    return indeterminateReport(run, { code: "observed-other-material", facts }, observation);
  }
  const beside = { retryable: !applied && registration.factory.absenceProves === "not-applied", reason };
  const recorded = await context.journal.recordOutcome({
    streamKey: claim.streamKey,
    actionId: claim.actionId,
    actionContentDigest: claim.actionContentDigest,
    executionBindingDigest: claim.executionBindingDigest,
    outcome: applied ? "applied" : "failed",
    observedMaterialIdentityDigest: applied ? expected : null,
    verificationDigest: observation.verificationDigest,
    besideText: besideText(beside),
  });
  return settleRecorded(context, claim, run, observation, recorded);
}

async function settleRecorded(
  context: EngineContext,
  claim: InstallClaim,
  run: Run,
  observation: InstallDriverObservation,
  recorded: OutcomeResult,
): Promise<InstallExecutionReport> {
  switch (recorded.kind) {
    case "recorded":
    case "duplicate":
      return settledReport(run, recorded.outcome, observation, await settleInstall(context, claim, recorded.outcome));
    case "clock-behind":
      return indeterminateReport(
        run,
        { code: "clock-behind-claim", facts: { now: recorded.now, claimedAt: recorded.claimedAt } },
        observation,
      );
    case "already-settled":
    case "abandoned":
    case "outcome-conflict":
    case "claim-required":
    case "claim-mismatch":
      // The action lock keeps other runs out, so these rows came from something that does not keep the protocol.
      throw new InstallEngineError({
        code: "OUTCOME_REFUSED",
        message: `the journal refused the outcome of ${claim.actionId}: ${recorded.kind}; the claim is as it was`,
        facts: { actionId: claim.actionId, reason: recorded.kind },
      });
  }
}

function settledReport(
  run: Run,
  outcome: InstallOutcome,
  observation: InstallDriverObservation | null,
  transition: InstallExecutionReport["transition"],
): InstallExecutionReport {
  const beside = besideOutcome(outcome);
  return Object.freeze({
    outcome: outcome.outcome,
    claimWasNew: run.claimWasNew,
    settled: true,
    executionBindingDigest: run.executionBindingDigest,
    verificationDigest: observation?.verificationDigest ?? null,
    transition,
    retryable: beside.retryable,
    reason: beside.reason,
  });
}

/** Facts are a driver's, so numbers that have no canonical text are kept as text. */
function besideText(beside: { readonly retryable: boolean; readonly reason: InstallReason | null }): string {
  const reason = beside.reason === null ? null : { code: beside.reason.code, facts: canonicalFacts(beside.reason) };
  return canonicalJson({ reason, retryable: beside.retryable }, "utf8");
}

function canonicalFacts(reason: InstallReason): Record<string, string | number | boolean | null> {
  return Object.fromEntries(
    Object.entries(plainFacts(reason.facts)).map(([key, fact]) => [
      wellFormed(key),
      typeof fact === "string" || (typeof fact === "number" && !Number.isSafeInteger(fact))
        ? wellFormed(String(fact))
        : fact,
    ]),
  );
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

function requireSameAction(claim: InstallClaim, install: AuthorizedInstall): void {
  if (claim.actionText !== hostActionText(install.action)) {
    throw new InstallEngineError({
      code: "ACTION_SUBSTITUTED",
      message: "the claim of this action id has other content than the action given; nothing was changed",
      facts: { member: "action", actionId: claim.actionId },
    });
  }
}
