import { sha256Hex } from "../digest.ts";
import { InstallEngineError } from "../error.ts";
import { parseReplayInput } from "../reducer/replay.ts";
import { compareTimestamps } from "../timestamp.ts";
import { actionContentDigest, hostActionText, parseInstallAction } from "../types/action.ts";
import { parseExecutionBinding } from "../types/execution-binding.ts";
import { parseEngineState } from "../types/state.ts";
import { parseTransition } from "../types/transition.ts";
import {
  type InstallAbandonment,
  type InstallClaim,
  type InstallOutcome,
  type InstallSettlement,
  type JournalRecord,
  journalRecordDigest,
} from "./rows.ts";

/**
 * Anchors (spec 5.3): a row whose digests are right can still claim what never happened. Each row must point to the
 * records that make it true, and those must say the same.
 */

/**
 * Whether the record issued exactly this action text, exactly once. Reads the transition, so it is also the check a
 * claim needs before it is made.
 *
 * @throws InstallEngineError if the transition is not canonical.
 */
export function issuesAction(issuing: JournalRecord, actionText: string): boolean {
  const { actions } = parseTransition(issuing.transitionText);
  return actions.filter((action) => hostActionText(action) === actionText).length === 1;
}

/**
 * Checks a claim against the record that issued its action and the record that was the head when it was made.
 *
 * @throws InstallEngineError JOURNAL_CORRUPT naming the member that does not hold.
 */
export function verifyClaimAnchors(claim: InstallClaim, issuing: JournalRecord, head: JournalRecord): void {
  const action = parseInstallAction(claim.actionText);
  const binding = parseExecutionBinding(claim.executionBindingText);
  const state = parseEngineState(head.resultStateText);
  const effect = state.pendingEffects.find((candidate) => candidate.action.actionId === claim.actionId);
  requireMembers(claim, {
    action_id: action.actionId === claim.actionId,
    action_content_digest: actionContentDigest(action) === claim.actionContentDigest,
    action_expires_at: action.expiresAt === claim.actionExpiresAt,
    precondition_revision: action.preconditionRevision === claim.preconditionRevision,
    execution_binding_digest: binding.bindingDigest === claim.executionBindingDigest,
    issuing_record_digest:
      issuing.recordDigest === claim.issuingRecordDigest &&
      issuing.streamKey === claim.streamKey &&
      issuing.revision === claim.preconditionRevision &&
      issuesAction(issuing, claim.actionText),
    claimed_head_record_digest:
      head.recordDigest === claim.claimedHeadRecordDigest && head.streamKey === claim.streamKey,
    claimed_head_revision: head.revision === claim.claimedHeadRevision && head.revision >= issuing.revision,
    claimed_head_state_digest: head.resultStateDigest === claim.claimedHeadStateDigest,
    pending_effect: effect !== undefined && hostActionText(effect.action) === claim.actionText,
    claimed_at: compareTimestamps(claim.claimedAt, claim.actionExpiresAt) < 0,
  });
}

/**
 * Checks an outcome against its claim.
 *
 * @throws InstallEngineError JOURNAL_CORRUPT naming the member that does not hold.
 */
export function verifyOutcomeAnchors(outcome: InstallOutcome, claim: InstallClaim): void {
  const { resultMaterial } = parseInstallAction(claim.actionText).payload;
  const seen = outcome.outcome === "applied" ? resultMaterial.identityDigest : null;
  requireMembers(outcome, {
    claim_digest: outcome.claimDigest === claim.claimDigest && outcome.streamKey === claim.streamKey,
    action_content_digest: outcome.actionContentDigest === claim.actionContentDigest,
    execution_binding_digest: outcome.executionBindingDigest === claim.executionBindingDigest,
    observed_material_identity_digest: outcome.observedMaterialIdentityDigest === seen,
  });
}

/**
 * Checks a settlement against its claim, its outcome and the record of its receipt.
 *
 * @throws InstallEngineError JOURNAL_CORRUPT naming the member that does not hold.
 */
export function verifySettlementAnchors(
  settlement: InstallSettlement,
  rows: { readonly claim: InstallClaim; readonly outcome: InstallOutcome; readonly receipt: JournalRecord },
): void {
  const { claim, outcome, receipt } = rows;
  const { event } = parseReplayInput(receipt.replayText);
  const kind = settlement.outcome === "applied" ? "ActionApplied" : "ActionFailed";
  const names = event.kind === "ActionApplied" || event.kind === "ActionFailed" ? event.payload : null;
  requireMembers(settlement, {
    claim_digest: settlement.claimDigest === claim.claimDigest,
    action_content_digest: settlement.actionContentDigest === claim.actionContentDigest,
    outcome: settlement.outcome === outcome.outcome,
    receipt_record_digest: settlement.receiptRecordDigest === receipt.recordDigest,
    receipt_event_id: settlement.receiptEventId === receipt.eventId && event.eventId === receipt.eventId,
    receipt_event_content_digest: settlement.receiptEventContentDigest === receipt.eventContentDigest,
    receipt_kind: event.kind === kind,
    receipt_action:
      names?.actionId === settlement.actionId &&
      names.actionContentDigest === settlement.actionContentDigest &&
      names.outcomeDigest === outcome.outcomeDigest &&
      receipt.streamKey === settlement.streamKey,
  });
}

/**
 * Checks an abandonment against its claim and the record of its event.
 *
 * @throws InstallEngineError JOURNAL_CORRUPT naming the member that does not hold.
 */
export function verifyAbandonmentAnchors(
  abandonment: InstallAbandonment,
  rows: { readonly claim: InstallClaim; readonly record: JournalRecord },
): void {
  const { claim, record } = rows;
  const { event } = parseReplayInput(record.replayText);
  requireMembers(abandonment, {
    claim_digest: abandonment.claimDigest === claim.claimDigest,
    action_content_digest: abandonment.actionContentDigest === claim.actionContentDigest,
    record_digest: abandonment.recordDigest === record.recordDigest && record.streamKey === abandonment.streamKey,
    event_id: abandonment.eventId === record.eventId && event.eventId === record.eventId,
    event_content_digest: abandonment.eventContentDigest === record.eventContentDigest,
    event_action: event.kind === "InstallAbandoned" && event.payload.actionId === abandonment.actionId,
  });
}

/**
 * Checks that a record's own digests recompute and that its texts are what they are digests of.
 *
 * @throws InstallEngineError JOURNAL_CORRUPT naming the member that does not hold.
 */
export function verifyRecordTexts(record: JournalRecord): void {
  requireMembers(
    { streamKey: record.streamKey, actionId: record.eventId },
    {
      replay_digest: sha256Hex(record.replayText) === record.replayDigest,
      transition_digest: sha256Hex(record.transitionText) === record.transitionDigest,
      result_state_digest: sha256Hex(record.resultStateText) === record.resultStateDigest,
      record_digest: journalRecordDigest(record) === record.recordDigest,
    },
  );
}

function requireMembers(
  row: { readonly streamKey: string; readonly actionId: string },
  members: Readonly<Record<string, boolean>>,
): void {
  for (const [member, holds] of Object.entries(members)) {
    if (!holds) {
      throw new InstallEngineError({
        code: "JOURNAL_CORRUPT",
        message: `the journal is damaged or forged: ${member} of ${row.actionId} is not what the records say; nothing was repaired`,
        facts: { member, id: row.actionId, streamKey: row.streamKey },
      });
    }
  }
}
