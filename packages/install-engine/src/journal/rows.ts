import { digestUtf8, sha256Hex } from "../digest.ts";
import type { InstallTarget } from "../driver.ts";
import type { Timestamp } from "../timestamp.ts";
import type { PrivacyLabel } from "../types/privacy.ts";
import type { StreamId } from "../types/scope.ts";
import { wireText } from "../wire.ts";

/** One event with everything it caused, in the chain of its stream (spec 5.2, `engine_journal`). */
export interface JournalRecord {
  readonly streamKey: string;
  readonly stream: StreamId;
  /** 1 for the first record of a stream, then without gaps. */
  readonly revision: number;
  /** Unique in the whole journal. */
  readonly eventId: string;
  readonly eventContentDigest: string;
  /** Canonical text of the event and the exact reducer version: enough to replay. */
  readonly replayText: string;
  readonly replayDigest: string;
  /** Canonical text of the transition with its actions. */
  readonly transitionText: string;
  readonly transitionDigest: string;
  /** Canonical text of the state after the event. */
  readonly resultStateText: string;
  readonly resultStateDigest: string;
  /** Digest of the record before it in the stream; null for the first. */
  readonly previousRecordDigest: string | null;
  readonly privacyClassification: PrivacyLabel["classification"];
  readonly retentionClass: PrivacyLabel["retention"];
  readonly reducerVersion: number;
  readonly recordDigest: string;
}

/** The one right to apply an action; burned for ever once it is durable (spec 5.2, `engine_install_claims`). */
export interface InstallClaim {
  readonly streamKey: string;
  readonly actionId: string;
  readonly actionContentDigest: string;
  readonly actionKind: "InstallCapability";
  readonly preconditionRevision: number;
  readonly actionText: string;
  /** The record that issued the action. */
  readonly issuingRecordDigest: string;
  readonly claimedHeadRevision: number;
  readonly claimedHeadRecordDigest: string;
  readonly claimedHeadStateDigest: string;
  readonly actionExpiresAt: Timestamp;
  readonly claimedAt: Timestamp;
  readonly authorizationDigest: string;
  readonly executionBindingText: string;
  readonly executionBindingDigest: string;
  /** Canonical text of the target's facts ({@link InstallTarget}), or null: kept beside, covered by the entry digest. */
  readonly besideText: string | null;
  readonly claimDigest: string;
}

/** What was seen, once and for all (spec 5.2, `engine_install_outcomes`). */
export interface InstallOutcome {
  readonly streamKey: string;
  readonly actionId: string;
  readonly actionContentDigest: string;
  readonly claimDigest: string;
  readonly executionBindingDigest: string;
  readonly outcome: "applied" | "failed";
  /** Digest of the material that the driver saw; null exactly when the outcome is `failed`. */
  readonly observedMaterialIdentityDigest: string | null;
  readonly verificationDigest: string;
  readonly observedAt: Timestamp;
  /** Canonical text of what absence proved and the driver's reason, or null: covered by the entry digest. */
  readonly besideText: string | null;
  readonly outcomeDigest: string;
}

/** The receipt that closed a claim (spec 5.2, `engine_install_claim_settlements`). */
export interface InstallSettlement {
  readonly streamKey: string;
  readonly actionId: string;
  readonly actionContentDigest: string;
  readonly claimDigest: string;
  readonly outcome: "applied" | "failed";
  readonly receiptEventId: string;
  readonly receiptEventContentDigest: string;
  readonly receiptRecordDigest: string;
  readonly settlementDigest: string;
}

/** An operator's decision that a claim is never going to be settled. There is no outcome row beside it. */
export interface InstallAbandonment {
  readonly streamKey: string;
  readonly actionId: string;
  readonly actionContentDigest: string;
  readonly claimDigest: string;
  readonly eventId: string;
  readonly eventContentDigest: string;
  readonly recordDigest: string;
  readonly abandonmentDigest: string;
}

/** SHA-256 of B{...} over the members of spec 2.1, row "journal record". */
export function journalRecordDigest(record: Omit<JournalRecord, "recordDigest" | "stream">): string {
  return digestUtf8({
    event_content_digest: record.eventContentDigest,
    event_id: record.eventId,
    previous_record_digest: record.previousRecordDigest,
    privacy_classification: record.privacyClassification,
    reducer_version: record.reducerVersion,
    replay_digest: record.replayDigest,
    result_state_digest: record.resultStateDigest,
    retention_class: record.retentionClass,
    revision: record.revision,
    stream_key: record.streamKey,
    transition_digest: record.transitionDigest,
  });
}

/** SHA-256 of B{all members except the digest and what is beside} (spec 2.1, row "claim"). */
export function installClaimDigest(claim: Omit<InstallClaim, "claimDigest">): string {
  return digestUtf8({
    action_content_digest: claim.actionContentDigest,
    action_expires_at: claim.actionExpiresAt,
    action_id: claim.actionId,
    action_json: claim.actionText,
    action_kind: claim.actionKind,
    authorization_digest: claim.authorizationDigest,
    claimed_at: claim.claimedAt,
    claimed_head_record_digest: claim.claimedHeadRecordDigest,
    claimed_head_revision: claim.claimedHeadRevision,
    claimed_head_state_digest: claim.claimedHeadStateDigest,
    execution_binding_digest: claim.executionBindingDigest,
    execution_binding_json: claim.executionBindingText,
    issuing_record_digest: claim.issuingRecordDigest,
    precondition_revision: claim.preconditionRevision,
    stream_key: claim.streamKey,
  });
}

/** SHA-256 of B{all members except the digest and what is beside} (spec 2.1, row "outcome"). */
export function installOutcomeDigest(outcome: Omit<InstallOutcome, "outcomeDigest">): string {
  return digestUtf8({
    action_content_digest: outcome.actionContentDigest,
    action_id: outcome.actionId,
    claim_digest: outcome.claimDigest,
    execution_binding_digest: outcome.executionBindingDigest,
    observed_at: outcome.observedAt,
    observed_material_identity_digest: outcome.observedMaterialIdentityDigest,
    outcome: outcome.outcome,
    stream_key: outcome.streamKey,
    verification_digest: outcome.verificationDigest,
  });
}

/** SHA-256 of B{all members except the digest} (spec 2.1, row "settlement"). */
export function installSettlementDigest(settlement: Omit<InstallSettlement, "settlementDigest">): string {
  return digestUtf8({
    action_content_digest: settlement.actionContentDigest,
    action_id: settlement.actionId,
    claim_digest: settlement.claimDigest,
    outcome: settlement.outcome,
    receipt_event_content_digest: settlement.receiptEventContentDigest,
    receipt_event_id: settlement.receiptEventId,
    receipt_record_digest: settlement.receiptRecordDigest,
    stream_key: settlement.streamKey,
  });
}

/** SHA-256 of B{all members except the digest, schema "mesh.install-abandonment-v1"}. */
export function installAbandonmentDigest(abandonment: Omit<InstallAbandonment, "abandonmentDigest">): string {
  return digestUtf8({
    action_content_digest: abandonment.actionContentDigest,
    action_id: abandonment.actionId,
    claim_digest: abandonment.claimDigest,
    event_content_digest: abandonment.eventContentDigest,
    event_id: abandonment.eventId,
    record_digest: abandonment.recordDigest,
    schema: "mesh.install-abandonment-v1",
    stream_key: abandonment.streamKey,
  });
}

/** One row of any kind in the order in which the journal took them; the chain of entries is what `head()` names. */
export interface JournalEntry {
  /** 1 for the first row of a journal, then without gaps. */
  readonly sequence: number;
  readonly kind: "record" | "claim" | "outcome" | "settlement" | "abandonment";
  readonly rowDigest: string;
  /** The row's `besideText`; null where it has none. */
  readonly besideText: string | null;
  /** Entry digest of the row before it; null for the first. */
  readonly previousEntryDigest: string | null;
}

/** SHA-256 of B{beside_digest, kind, previous_entry_digest, row_digest, schema, sequence}. */
export function journalEntryDigest(entry: JournalEntry): string {
  return digestUtf8({
    beside_digest: entry.besideText === null ? null : sha256Hex(entry.besideText),
    kind: entry.kind,
    previous_entry_digest: entry.previousEntryDigest,
    row_digest: entry.rowDigest,
    schema: "mesh.install-journal-entry-v1",
    sequence: entry.sequence,
  });
}

/** The canonical text of a target's facts, as a claim keeps them beside itself. */
export function installTargetText(target: InstallTarget): string {
  return wireText(target, "utf8");
}
