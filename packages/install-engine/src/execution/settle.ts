import { InstallEngineError } from "../error.ts";
import type { InstallClaim, InstallOutcome } from "../journal/rows.ts";
import type { CommitResult, JournalWaitOptions } from "../journal.ts";
import { CONTENTION_ATTEMPTS_MAX } from "../limits.ts";
import { receiptOf } from "../reducer/receipt.ts";
import { parseInstallAction } from "../types/action.ts";
import type { EngineEvent } from "../types/event.ts";
import { FAILURE_VERIFIED_ABSENT } from "../types/event-payload.ts";
import { parseTransition, type Transition } from "../types/transition.ts";
import { pendingEffectOf } from "../engine/authorize.ts";
import { commitStep, type EngineContext, makeEvent, viewStream } from "../engine/context.ts";
import { actionReference } from "../engine/expire.ts";
import type { StreamView } from "../engine/known-views.ts";
import { refusalOf } from "../engine/refusal.ts";
import { besideOutcome } from "./report.ts";

/**
 * Closes a claim with the receipt of its outcome (spec 7.4). The receipt's id and content follow from the outcome, so a
 * second attempt finds the first one's.
 *
 * @returns the committed transition, or null if another run settled it.
 * @throws InstallEngineError SETTLEMENT_CONTENDED; the outcome stays, and a later run settles.
 */
export async function settleInstall(
  context: EngineContext,
  claim: InstallClaim,
  outcome: InstallOutcome,
  options?: JournalWaitOptions,
): Promise<Transition | null> {
  for (let attempt = 1; attempt <= CONTENTION_ATTEMPTS_MAX; attempt += 1) {
    const view = await viewToSettle(context, claim, options);
    if (view === null) {
      return null;
    }
    const { result } = await commitStep(
      context,
      view,
      receiptEvent(context, view, claim, outcome),
      {
        kind: "settle",
        actionId: claim.actionId,
        actionContentDigest: claim.actionContentDigest,
        outcome: outcome.outcome,
        outcomeDigest: outcome.outcomeDigest,
      },
      options,
    );
    const settled = settledBy(result);
    if (settled !== "again") {
      return settled;
    }
  }
  throw new InstallEngineError({
    code: "SETTLEMENT_CONTENDED",
    message: `the stream moved ${CONTENTION_ATTEMPTS_MAX} times during the settlement; the outcome is kept, run again`,
    facts: { actionId: claim.actionId, attempts: CONTENTION_ATTEMPTS_MAX },
  });
}

/**
 * The view to settle on, or null if the action is settled. What the engine knows will do while the effect is pending there:
 * the guard of the commit finds a settlement before the head is compared.
 */
async function viewToSettle(
  context: EngineContext,
  claim: InstallClaim,
  options?: JournalWaitOptions,
): Promise<StreamView | null> {
  const known = context.views.of(claim.streamKey);
  if (known !== undefined && pendingEffectOf(known.state, claim.actionId) !== null) {
    return known;
  }
  const view = await viewStream(context, claim.streamKey, options);
  const status = await context.journal.status(claim, options);
  return status.state === "settled" ? null : view;
}

function settledBy(result: CommitResult): Transition | null | "again" {
  switch (result.kind) {
    case "committed":
    case "duplicate":
      return parseTransition(result.record.transitionText);
    case "revision-conflict":
      return "again";
    case "already-settled":
      return null;
    case "event-collision":
    case "expired":
    case "early":
    case "already-claimed":
    case "claim-required":
    case "outcome-required":
    case "outcome-conflict":
    case "abandoned":
      throw refusalOf(result);
  }
}

function receiptEvent(
  context: EngineContext,
  view: StreamView,
  claim: InstallClaim,
  outcome: InstallOutcome,
): EngineEvent {
  const action = parseInstallAction(claim.actionText);
  const members = {
    scope: action.scope,
    occurredAt: outcome.observedAt,
    correlationId: action.planId,
    causationId: action.actionId,
    catalogSnapshotDigest: action.catalogSnapshotId,
    eventId: `ctx-install-receipt-${outcome.outcomeDigest}`,
    privacy: action.privacy,
  };
  const reference = { ...actionReference(action), outcomeDigest: outcome.outcomeDigest };
  return outcome.outcome === "applied"
    ? makeEvent(context, view, {
        ...members,
        kind: "ActionApplied",
        payload: { ...reference, verification: receiptOf(action) },
      })
    : makeEvent(context, view, {
        ...members,
        kind: "ActionFailed",
        payload: {
          ...reference,
          error: { code: FAILURE_VERIFIED_ABSENT },
          retryable: besideOutcome(outcome).retryable,
        },
      });
}
