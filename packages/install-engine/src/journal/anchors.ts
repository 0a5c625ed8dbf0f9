import { sha256Hex } from "../digest.ts";
import { compareTimestamps } from "../timestamp.ts";
import { parseExecutionBinding } from "../types/execution-binding.ts";
import { actionMembers, awaitsAction, eventMembers, issuesAction } from "./action-text.ts";
import type { InstallAbandonment, InstallClaim, InstallOutcome, InstallSettlement, JournalRecord } from "./rows.ts";

/**
 * Anchors (spec 5.3): a row whose digest is right can still claim what never happened. Each row must point to the rows
 * that make it true, and those must say the same. Every function here gives the first thing that does not hold, in words,
 * or undefined; looking the rows up, and their order, is the store's part.
 */

/** A record as far as anchors read it. */
export type AnchorRecord = Omit<JournalRecord, "stream">;

/** What a claim says of itself: the part that can be checked before there is a row. */
export type ClaimTerms = Pick<
  InstallClaim,
  | "actionId"
  | "actionContentDigest"
  | "actionText"
  | "preconditionRevision"
  | "actionExpiresAt"
  | "executionBindingText"
  | "executionBindingDigest"
>;

/** Checks that the texts of a record have the digests it gives them. */
export function recordTextsFault(record: AnchorRecord): string | undefined {
  if (sha256Hex(record.replayText) !== record.replayDigest) {
    return "its replay text does not have its replay digest";
  }
  if (sha256Hex(record.transitionText) !== record.transitionDigest) {
    return "its transition text does not have its transition digest";
  }
  return sha256Hex(record.resultStateText) === record.resultStateDigest
    ? undefined
    : "its state text does not have its state digest";
}

/** The member of a claim that does not fit its own texts; undefined when all do. No expiry can be extended past this. */
export function claimTermsFault(claim: ClaimTerms): keyof ClaimTerms | undefined {
  const action = actionMembers(claim.actionText);
  if (action?.kind !== "InstallCapability") {
    return "actionText";
  }
  if (sha256Hex(claim.actionText) !== claim.actionContentDigest) {
    return "actionContentDigest";
  }
  if (action.actionId !== claim.actionId) {
    return "actionId";
  }
  if (action.preconditionRevision !== claim.preconditionRevision) {
    return "preconditionRevision";
  }
  if (action.expiresAt !== claim.actionExpiresAt) {
    return "actionExpiresAt";
  }
  return bindingFault(claim);
}

function bindingFault(claim: ClaimTerms): keyof ClaimTerms | undefined {
  try {
    const binding = parseExecutionBinding(claim.executionBindingText);
    return binding.bindingDigest === claim.executionBindingDigest ? undefined : "executionBindingDigest";
  } catch {
    return "executionBindingText";
  }
}

/** Checks a claim against the record at its precondition revision and the one at its head revision. */
export function claimFault(
  claim: InstallClaim,
  issuing: AnchorRecord | undefined,
  head: AnchorRecord | undefined,
): string | undefined {
  const term = claimTermsFault(claim);
  if (term !== undefined) {
    return `its ${term} does not fit its other members`;
  }
  if (compareTimestamps(claim.claimedAt, claim.actionExpiresAt) >= 0) {
    return "it was made when its action had expired";
  }
  if (issuing?.recordDigest !== claim.issuingRecordDigest) {
    return `record ${claim.preconditionRevision} of its stream is not the one that it says issued its action`;
  }
  if (!issuesAction(issuing.transitionText, claim.actionText)) {
    return `record ${claim.preconditionRevision} of its stream did not issue its action exactly once`;
  }
  if (head?.recordDigest !== claim.claimedHeadRecordDigest || head.resultStateDigest !== claim.claimedHeadStateDigest) {
    return `record ${claim.claimedHeadRevision} of its stream is not the head that it names`;
  }
  return awaitsAction(head.resultStateText, claim.actionText)
    ? undefined
    : `its action was not pending after record ${claim.claimedHeadRevision} of its stream`;
}

/** Checks an outcome against the claim of its action. */
export function outcomeFault(outcome: InstallOutcome, claim: InstallClaim): string | undefined {
  if (
    outcome.claimDigest !== claim.claimDigest ||
    outcome.actionContentDigest !== claim.actionContentDigest ||
    outcome.executionBindingDigest !== claim.executionBindingDigest
  ) {
    return "it is bound to another claim, action or binding than the claim of its action";
  }
  if (compareTimestamps(outcome.observedAt, claim.claimedAt) < 0) {
    return "it was observed before its action was claimed";
  }
  return outcome.observedMaterialIdentityDigest === materialToObserve(outcome.outcome, claim)
    ? undefined
    : "it does not name the material of its action";
}

/** What an outcome must have observed: the material of the action, or nothing when it failed. */
export function materialToObserve(outcome: InstallOutcome["outcome"], claim: InstallClaim): unknown {
  return outcome === "applied" ? actionMembers(claim.actionText)?.materialIdentityDigest : null;
}

/** Checks a settlement against the outcome of its action and the record of its receipt. */
export function settlementFault(
  settlement: InstallSettlement,
  outcome: InstallOutcome,
  receipt: AnchorRecord,
): string | undefined {
  if (
    settlement.claimDigest !== outcome.claimDigest ||
    settlement.actionContentDigest !== outcome.actionContentDigest ||
    settlement.outcome !== outcome.outcome
  ) {
    return "it settles another claim, action or outcome than the one that was recorded";
  }
  if (settlement.receiptEventId !== receiptEventId(outcome.outcomeDigest)) {
    return "its receipt is not the one of the recorded outcome";
  }
  const named = eventFault(settlement, receipt, {
    eventId: settlement.receiptEventId,
    eventContentDigest: settlement.receiptEventContentDigest,
    recordDigest: settlement.receiptRecordDigest,
    kind: settlement.outcome === "applied" ? "ActionApplied" : "ActionFailed",
  });
  return named ?? receiptOutcomeFault(receipt, outcome);
}

/** Checks an abandonment against the claim of its action and the record of its event. */
export function abandonmentFault(
  abandonment: InstallAbandonment,
  claim: InstallClaim,
  record: AnchorRecord,
): string | undefined {
  return abandonment.claimDigest !== claim.claimDigest || abandonment.actionContentDigest !== claim.actionContentDigest
    ? "it abandons another claim or action than the one that was made"
    : eventFault(abandonment, record, { ...abandonment, kind: "InstallAbandoned" });
}

/** Id of the one event that can settle an outcome (spec 7.4). */
export function receiptEventId(outcomeDigest: string): string {
  return `ctx-install-receipt-${outcomeDigest}`;
}

/** Why an event cannot be the receipt of an outcome; undefined when it can. */
function receiptOutcomeFault(receipt: AnchorRecord, outcome: InstallOutcome): string | undefined {
  return eventMembers(receipt.replayText).outcomeDigest === outcome.outcomeDigest
    ? undefined
    : "its receipt speaks of another outcome";
}

/** Why an event is not the one that closes an action; undefined when it is. */
function eventFault(
  row: { readonly streamKey: string; readonly actionId: string; readonly actionContentDigest: string },
  record: AnchorRecord,
  named: Pick<AnchorRecord, "eventId" | "eventContentDigest" | "recordDigest"> & { readonly kind: string },
): string | undefined {
  if (
    record.streamKey !== row.streamKey ||
    record.eventId !== named.eventId ||
    record.eventContentDigest !== named.eventContentDigest ||
    record.recordDigest !== named.recordDigest
  ) {
    return "the record of its event is another one than it names";
  }
  return closesAction(record, row, named.kind)
    ? undefined
    : `the record of its event is no ${named.kind} of its action`;
}

/** Whether a record's event is of a kind and about an action: what the guards of a commit demand. */
export function closesAction(
  record: Pick<AnchorRecord, "replayText" | "eventId">,
  action: { readonly actionId: string; readonly actionContentDigest: string },
  kind: string,
): boolean {
  const event = eventMembers(record.replayText);
  return (
    event.kind === kind &&
    event.eventId === record.eventId &&
    event.actionId === action.actionId &&
    event.actionContentDigest === action.actionContentDigest
  );
}
