import { sha256Hex } from "../digest.ts";
import type { InstallClaim } from "../journal/rows.ts";
import { compareTimestamps } from "../timestamp.ts";
import { parseExecutionBinding } from "../types/execution-binding.ts";
import { claimedAction, timesIssued, timesPending } from "./claimed-action.ts";
import type { JournalTables } from "./journal-tables.ts";
import type { Numbered } from "./row-table.ts";

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

/** The member of a claim that does not fit its own texts; undefined when all do. An expiry cannot be extended this way. */
export function claimTermsFault(claim: ClaimTerms): keyof ClaimTerms | undefined {
  const action = claimedAction(claim.actionText);
  if (action === undefined || action.kind !== "InstallCapability") {
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

/** What is wrong with what a claim points to (spec 5.3, anchors); undefined when nothing is. */
export function claimFault({ records }: JournalTables, row: Numbered<InstallClaim>): string | undefined {
  const term = claimTermsFault(row);
  if (term !== undefined) {
    return `${term} does not fit its other members`;
  }
  if (compareTimestamps(row.claimedAt, row.actionExpiresAt) >= 0) {
    return "it was made after its action had expired";
  }
  const issuing = records.at(row.streamKey, row.preconditionRevision);
  if (issuing === undefined || issuing.recordDigest !== row.issuingRecordDigest || issuing.sequence >= row.sequence) {
    return `record ${row.preconditionRevision} of its stream is not the one that it says issued its action`;
  }
  if (timesIssued(issuing.transitionText, row.actionText) !== 1) {
    return `record ${row.preconditionRevision} of its stream did not issue its action exactly once`;
  }
  return headFault({ records }, row);
}

function headFault({ records }: Pick<JournalTables, "records">, row: Numbered<InstallClaim>): string | undefined {
  const head = records.at(row.streamKey, row.claimedHeadRevision);
  if (
    head === undefined ||
    head.sequence >= row.sequence ||
    head.recordDigest !== row.claimedHeadRecordDigest ||
    head.resultStateDigest !== row.claimedHeadStateDigest
  ) {
    return `record ${row.claimedHeadRevision} of its stream is not the head that it names`;
  }
  if (timesPending(head.resultStateText, row.actionText) !== 1) {
    return `its action was not pending in the state after record ${row.claimedHeadRevision} of its stream`;
  }
  const next = records.place(row.streamKey, row.claimedHeadRevision + 1);
  return next === undefined || next.sequence > row.sequence
    ? undefined
    : "its head was not the newest record at its time";
}
