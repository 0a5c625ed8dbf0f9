import type {
  InstallAbandonment,
  InstallClaim,
  InstallOutcome,
  InstallSettlement,
  JournalRecord,
} from "./journal/rows.ts";
import type { Timestamp } from "./timestamp.ts";
import type { StreamId } from "./types/scope.ts";

/** The newest record of a stream and the state after it. */
export interface StreamSnapshot {
  readonly streamKey: string;
  readonly stream: StreamId;
  readonly revision: number;
  readonly recordDigest: string;
  /** Canonical text of the state. */
  readonly stateText: string;
  readonly stateDigest: string;
}

/** Where a stream stands: what a claim or a conflict names. */
export interface StreamHead {
  readonly revision: number;
  readonly recordDigest: string;
}

/** The newest row of the whole journal. Keep it elsewhere: the loss of a suffix leaves a valid chain. */
export interface JournalHead {
  /** Number of rows; 0 for an empty journal. */
  readonly sequence: number;
  /** Entry digest of the newest row; null for an empty journal. */
  readonly digest: string | null;
}

/** One action of one stream. */
export interface ActionKey {
  readonly streamKey: string;
  readonly actionId: string;
}

/**
 * What must hold in the transaction that adds a record, checked against the clock and the rows under the write lock.
 *
 * - `none`: nothing beyond the revision.
 * - `decision`: the clock is before `notAfter` (consent not expired).
 * - `expire-consent`: the clock is at or after `notBefore`.
 * - `expire-action`: the clock is at or after `expiresAt` and the action has no claim.
 * - `settle`: the action has a claim and exactly this outcome, and no settlement; the settlement row is added in the
 *   same transaction.
 * - `rebind`: the action has a claim and is neither settled nor abandoned.
 * - `abandon`: the same, and it has no outcome; the abandonment row is added in the same transaction.
 */
export type CommitGuard =
  | { readonly kind: "none" }
  | { readonly kind: "decision"; readonly notAfter: Timestamp }
  | { readonly kind: "expire-consent"; readonly notBefore: Timestamp }
  | {
      readonly kind: "expire-action";
      readonly actionId: string;
      readonly actionContentDigest: string;
      readonly expiresAt: Timestamp;
    }
  | {
      readonly kind: "settle";
      readonly actionId: string;
      readonly actionContentDigest: string;
      readonly outcome: "applied" | "failed";
      readonly outcomeDigest: string;
    }
  | { readonly kind: "rebind"; readonly actionId: string; readonly actionContentDigest: string }
  | { readonly kind: "abandon"; readonly actionId: string; readonly actionContentDigest: string };

/** A record to add. Its revision and `previousRecordDigest` say which head it expects. */
export interface CommitRequest {
  readonly record: JournalRecord;
  readonly guard: CommitGuard;
}

/** What became of a record. Checked in this order: duplicate event id, guard, revision. */
export type CommitResult =
  | { readonly kind: "committed"; readonly record: JournalRecord; readonly now: Timestamp }
  /** The same event is in this stream already; nothing was added, and `record` is the stored one. */
  | { readonly kind: "duplicate"; readonly record: JournalRecord }
  /** Another event has this id. */
  | { readonly kind: "event-collision"; readonly eventId: string }
  | { readonly kind: "revision-conflict"; readonly head: StreamHead | null }
  | { readonly kind: "expired"; readonly now: Timestamp; readonly notAfter: Timestamp }
  | { readonly kind: "early"; readonly now: Timestamp; readonly notBefore: Timestamp }
  | { readonly kind: "already-claimed"; readonly claim: InstallClaim }
  | { readonly kind: "claim-required" }
  | { readonly kind: "outcome-required" }
  | { readonly kind: "outcome-conflict"; readonly outcome: InstallOutcome }
  | { readonly kind: "already-settled"; readonly settlement: InstallSettlement }
  | { readonly kind: "abandoned"; readonly abandonment: InstallAbandonment };

/** A claim to make. The store adds the issuing record, the head's state digest and the time, and seals it. */
export interface ClaimRequest {
  readonly streamKey: string;
  readonly actionId: string;
  readonly actionContentDigest: string;
  readonly preconditionRevision: number;
  readonly actionText: string;
  readonly actionExpiresAt: Timestamp;
  readonly expectedHead: StreamHead;
  readonly authorizationDigest: string;
  readonly executionBindingText: string;
  readonly executionBindingDigest: string;
  readonly besideText: string | null;
}

/**
 * Who holds the claim. Checked in this order: an earlier claim, the head, the issuing record, the clock. Only `won` may
 * apply. An earlier claim of other action content is corruption, and thrown.
 */
export type ClaimResult =
  | { readonly kind: "claimed"; readonly won: true; readonly claim: InstallClaim }
  | { readonly kind: "already-claimed"; readonly won: false; readonly claim: InstallClaim }
  | { readonly kind: "revision-conflict"; readonly won: false; readonly head: StreamHead | null }
  /** The record at the precondition revision did not issue exactly this action text exactly once. */
  | { readonly kind: "not-issued"; readonly won: false }
  | { readonly kind: "expired"; readonly won: false; readonly now: Timestamp; readonly expiresAt: Timestamp };

/** An outcome to record. The store adds the claim's digest and the time, and seals it. */
export interface OutcomeRequest {
  readonly streamKey: string;
  readonly actionId: string;
  readonly actionContentDigest: string;
  /** The binding of the claim. */
  readonly executionBindingDigest: string;
  readonly outcome: "applied" | "failed";
  /** Applied: equal to the result material of the claimed action. Failed: null. */
  readonly observedMaterialIdentityDigest: string | null;
  readonly verificationDigest: string;
  readonly besideText: string | null;
}

/**
 * What became of an outcome. The first one wins; the same one again is `duplicate` with the stored row, whatever its
 * time and what is beside it.
 */
export type OutcomeResult =
  | { readonly kind: "recorded"; readonly outcome: InstallOutcome }
  | { readonly kind: "duplicate"; readonly outcome: InstallOutcome }
  | { readonly kind: "outcome-conflict"; readonly outcome: InstallOutcome }
  | { readonly kind: "claim-required" }
  /** Action content, binding or observed material are not those of the claim. */
  | { readonly kind: "claim-mismatch"; readonly member: string; readonly claim: InstallClaim }
  | { readonly kind: "already-settled"; readonly settlement: InstallSettlement }
  | { readonly kind: "abandoned"; readonly abandonment: InstallAbandonment }
  /** The clock is behind the claim; a later run records it. */
  | { readonly kind: "clock-behind"; readonly now: Timestamp; readonly claimedAt: Timestamp };

/** How far an action got, from its rows (spec 3, InstallExecutionStatus). */
export type InstallExecutionStatus =
  | { readonly state: "unclaimed" }
  | { readonly state: "claimed"; readonly claim: InstallClaim }
  | { readonly state: "outcome-recorded"; readonly claim: InstallClaim; readonly outcome: InstallOutcome }
  | {
      readonly state: "settled";
      readonly claim: InstallClaim;
      readonly outcome: InstallOutcome;
      readonly settlement: InstallSettlement;
    }
  | { readonly state: "abandoned"; readonly claim: InstallClaim; readonly abandonment: InstallAbandonment };

/** Waiting can be ended by a signal; the promise then rejects with its reason and nothing was changed. */
export interface JournalWaitOptions {
  readonly signal?: AbortSignal;
}

/** A bounded page, in the order of the keys; `after` is the last key of the page before. */
export interface PageOptions<Key> extends JournalWaitOptions {
  readonly after?: Key;
  readonly limit: number;
}

/** What a full verification counted. It throws JOURNAL_CORRUPT instead of reporting damage. */
export interface JournalVerification {
  readonly streams: number;
  readonly records: number;
  readonly claims: number;
  readonly outcomes: number;
  readonly settlements: number;
  readonly abandonments: number;
  readonly head: JournalHead;
}

/**
 * The one durable store of the engine (design D8, spec section 5). Every method that changes something is one
 * transaction, durable when its promise resolves; expected refusals are results, and what nobody may go on from
 * (corruption, a lock that could not be had, a broken clock) is thrown as InstallEngineError.
 *
 * From the consent decision to the settlement the engine makes exactly four changing calls: `commit` (decision),
 * `claim`, `recordOutcome`, `commit` (receipt with settlement). Every implementation passes the suite of `./contract`.
 */
export interface JournalStore extends AsyncDisposable {
  /** Adds a record, and the settlement or abandonment row that its guard names. */
  commit(request: CommitRequest, options?: JournalWaitOptions): Promise<CommitResult>;
  /** Makes the one claim of an action, or says who holds it. */
  claim(request: ClaimRequest, options?: JournalWaitOptions): Promise<ClaimResult>;
  /** Records what was seen, once. */
  recordOutcome(request: OutcomeRequest, options?: JournalWaitOptions): Promise<OutcomeResult>;

  /** The rows of one action, read in one transaction. */
  status(key: ActionKey, options?: JournalWaitOptions): Promise<InstallExecutionStatus>;
  /** The newest record of a stream and its state; null if the stream does not exist. */
  snapshot(streamKey: string, options?: JournalWaitOptions): Promise<StreamSnapshot | null>;
  /** One record, or null. */
  record(streamKey: string, revision: number, options?: JournalWaitOptions): Promise<JournalRecord | null>;
  /** The records of a stream in order, chain verified, without holding more than a piece in memory. */
  replay(streamKey: string, options?: JournalWaitOptions): AsyncIterable<JournalRecord>;
  /** Streams whose members equal the ones given, by stream key (code point order). */
  streams(filter: Partial<StreamId>, page: PageOptions<string>): Promise<readonly StreamSnapshot[]>;
  /** Claims of every stream that are neither settled nor abandoned, by (stream key, action id). */
  unsettledClaims(page: PageOptions<ActionKey>): Promise<readonly InstallClaim[]>;

  /** The clock of expiry: the one that guards and claims are checked against. */
  now(): Promise<Timestamp>;
  /**
   * Runs `body` while no other holder, in any process, has the lock of this action. Waiting is asynchronous and ends
   * with ACTION_LOCK_TIMEOUT after `LOCK_WAIT_MS_MAX`, or with the signal's reason. Not re-entrant.
   */
  withActionLock<Result>(key: ActionKey, body: () => Promise<Result>, options?: JournalWaitOptions): Promise<Result>;

  /** The newest row of the journal. */
  head(options?: JournalWaitOptions): Promise<JournalHead>;
  /** Verifies every row, digest, link and anchor. */
  verify(options?: JournalWaitOptions): Promise<JournalVerification>;
  /** Waits for running calls and releases everything; again is harmless. Later calls reject with JOURNAL_CLOSED. */
  close(): Promise<void>;
}
