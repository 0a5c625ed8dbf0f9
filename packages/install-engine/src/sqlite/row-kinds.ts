import {
  type InstallAbandonment,
  type InstallClaim,
  type InstallOutcome,
  type InstallSettlement,
  installAbandonmentDigest,
  installClaimDigest,
  installOutcomeDigest,
  installSettlementDigest,
  type JournalRecord,
  journalRecordDigest,
} from "../journal/rows.ts";
import type { RowKind } from "./row-table.ts";

/** A record as its table has it: the stream's members are in its key. */
export type RecordRow = Omit<JournalRecord, "stream">;

export const RECORDS: RowKind<RecordRow> = {
  kind: "record",
  table: "records",
  columns: {
    streamKey: "stream_key",
    revision: "revision",
    eventId: "event_id",
    eventContentDigest: "event_content_digest",
    replayDigest: "replay_digest",
    transitionDigest: "transition_digest",
    resultStateDigest: "result_state_digest",
    previousRecordDigest: "previous_record_digest",
    privacyClassification: "privacy_classification",
    retentionClass: "retention_class",
    reducerVersion: "reducer_version",
    recordDigest: "record_digest",
    replayText: "replay_json",
    transitionText: "transition_json",
    resultStateText: "result_state_json",
  },
  sealed: (row) => row.recordDigest,
  digest: journalRecordDigest,
  beside: () => null,
  subject: (row) => `record ${row.revision} (event ${row.eventId}) of stream ${row.streamKey}`,
};

/** Members by which the rows of one action name it. */
const ACTION_COLUMNS = {
  streamKey: "stream_key",
  actionId: "action_id",
  actionContentDigest: "action_content_digest",
} as const;

export const CLAIMS: RowKind<InstallClaim> = {
  kind: "claim",
  table: "claims",
  columns: {
    ...ACTION_COLUMNS,
    actionKind: "action_kind",
    preconditionRevision: "precondition_revision",
    issuingRecordDigest: "issuing_record_digest",
    claimedHeadRevision: "claimed_head_revision",
    claimedHeadRecordDigest: "claimed_head_record_digest",
    claimedHeadStateDigest: "claimed_head_state_digest",
    actionExpiresAt: "action_expires_at",
    claimedAt: "claimed_at",
    authorizationDigest: "authorization_digest",
    executionBindingDigest: "execution_binding_digest",
    claimDigest: "claim_digest",
    actionText: "action_json",
    executionBindingText: "execution_binding_json",
    besideText: "beside_json",
  },
  sealed: (row) => row.claimDigest,
  digest: installClaimDigest,
  beside: (row) => row.besideText,
  subject: (row) => actionSubject("claim", row),
};

export const OUTCOMES: RowKind<InstallOutcome> = {
  kind: "outcome",
  table: "outcomes",
  columns: {
    ...ACTION_COLUMNS,
    claimDigest: "claim_digest",
    executionBindingDigest: "execution_binding_digest",
    outcome: "outcome",
    observedMaterialIdentityDigest: "observed_material_identity_digest",
    verificationDigest: "verification_digest",
    observedAt: "observed_at",
    besideText: "beside_json",
    outcomeDigest: "outcome_digest",
  },
  sealed: (row) => row.outcomeDigest,
  digest: installOutcomeDigest,
  beside: (row) => row.besideText,
  subject: (row) => actionSubject("outcome", row),
};

export const SETTLEMENTS: RowKind<InstallSettlement> = {
  kind: "settlement",
  table: "settlements",
  columns: {
    ...ACTION_COLUMNS,
    claimDigest: "claim_digest",
    outcome: "outcome",
    receiptEventId: "receipt_event_id",
    receiptEventContentDigest: "receipt_event_content_digest",
    receiptRecordDigest: "receipt_record_digest",
    settlementDigest: "settlement_digest",
  },
  sealed: (row) => row.settlementDigest,
  digest: installSettlementDigest,
  beside: () => null,
  subject: (row) => actionSubject("settlement", row),
};

export const ABANDONMENTS: RowKind<InstallAbandonment> = {
  kind: "abandonment",
  table: "abandonments",
  columns: {
    ...ACTION_COLUMNS,
    claimDigest: "claim_digest",
    eventId: "event_id",
    eventContentDigest: "event_content_digest",
    recordDigest: "record_digest",
    abandonmentDigest: "abandonment_digest",
  },
  sealed: (row) => row.abandonmentDigest,
  digest: installAbandonmentDigest,
  beside: () => null,
  subject: (row) => actionSubject("abandonment", row),
};

function actionSubject(kind: string, row: { readonly streamKey: string; readonly actionId: string }): string {
  return `${kind} of ${row.actionId} in stream ${row.streamKey}`;
}
