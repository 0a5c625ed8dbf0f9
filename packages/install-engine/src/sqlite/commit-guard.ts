import {
  type InstallClaim,
  installAbandonmentDigest,
  installSettlementDigest,
  type JournalRecord,
} from "../journal/rows.ts";
import type { ActionKey, CommitGuard, CommitResult } from "../journal.ts";
import { compareTimestamps, type Timestamp } from "../timestamp.ts";
import { corruption } from "./corruption.ts";
import type { WriteContext } from "./write-context.ts";

/** What a guard says: no, or which row goes with the record. */
export type GuardVerdict =
  | { readonly kind: "refused"; readonly result: CommitResult }
  | { readonly kind: "passed"; readonly append: () => void };

const PASSED: GuardVerdict = { kind: "passed", append: () => undefined };

/** Checks a guard against the rows and the clock, under the write lock. */
export function checkGuard(
  context: WriteContext,
  record: JournalRecord,
  guard: CommitGuard,
  now: Timestamp,
): GuardVerdict {
  switch (guard.kind) {
    case "none":
      return PASSED;
    case "decision":
      return compareTimestamps(now, guard.notAfter) < 0
        ? PASSED
        : refused({ kind: "expired", now, notAfter: guard.notAfter });
    case "expire-consent":
      return notBefore(now, guard.notBefore);
    case "expire-action": {
      const claim = context.rows.claim({ streamKey: record.streamKey, actionId: guard.actionId });
      return claim === undefined ? notBefore(now, guard.expiresAt) : refused({ kind: "already-claimed", claim });
    }
    case "settle":
      return checkSettle(context, record, guard);
    case "rebind": {
      const open = openClaim(context, record.streamKey, guard);
      return open.kind === "refused" ? open : PASSED;
    }
    case "abandon":
      return checkAbandon(context, record, guard);
    default:
      return guard satisfies never;
  }
}

function notBefore(now: Timestamp, time: Timestamp): GuardVerdict {
  return compareTimestamps(now, time) >= 0 ? PASSED : refused({ kind: "early", now, notBefore: time });
}

function checkSettle(
  context: WriteContext,
  record: JournalRecord,
  guard: CommitGuard & { readonly kind: "settle" },
): GuardVerdict {
  const open = openClaim(context, record.streamKey, guard);
  if (open.kind === "refused") {
    return open;
  }
  const { claim } = open;
  const outcome = context.rows.outcome(claim);
  if (outcome === undefined) {
    return refused({ kind: "outcome-required" });
  }
  if (outcome.outcomeDigest !== guard.outcomeDigest || outcome.outcome !== guard.outcome) {
    return refused({ kind: "outcome-conflict", outcome });
  }
  const settlement = {
    ...keyOf(claim),
    claimDigest: claim.claimDigest,
    outcome: outcome.outcome,
    receiptEventId: record.eventId,
    receiptEventContentDigest: record.eventContentDigest,
    receiptRecordDigest: record.recordDigest,
  };
  return closing(context, claim, () => {
    const sealed = { ...settlement, settlementDigest: installSettlementDigest(settlement) };
    context.appender.append(context.tables.settlements, sealed);
  });
}

function checkAbandon(
  context: WriteContext,
  record: JournalRecord,
  guard: CommitGuard & { readonly kind: "abandon" },
): GuardVerdict {
  const open = openClaim(context, record.streamKey, guard);
  if (open.kind === "refused") {
    return open;
  }
  const { claim } = open;
  const outcome = context.rows.outcome(claim);
  if (outcome !== undefined) {
    return refused({ kind: "outcome-conflict", outcome });
  }
  const abandonment = {
    ...keyOf(claim),
    claimDigest: claim.claimDigest,
    eventId: record.eventId,
    eventContentDigest: record.eventContentDigest,
    recordDigest: record.recordDigest,
  };
  return closing(context, claim, () => {
    const sealed = { ...abandonment, abandonmentDigest: installAbandonmentDigest(abandonment) };
    context.appender.append(context.tables.abandonments, sealed);
  });
}

/** The claim of an action that is neither settled nor abandoned. */
function openClaim(
  { rows, tables }: WriteContext,
  streamKey: string,
  guard: { readonly actionId: string; readonly actionContentDigest: string },
): { readonly kind: "open"; readonly claim: InstallClaim } | (GuardVerdict & { readonly kind: "refused" }) {
  const key: ActionKey = { streamKey, actionId: guard.actionId };
  const settlement = rows.settlement(key);
  if (settlement !== undefined) {
    return refused({ kind: "already-settled", settlement });
  }
  const abandonment = rows.abandonment(key);
  if (abandonment !== undefined) {
    return refused({ kind: "abandoned", abandonment });
  }
  const claim = rows.claim(key);
  if (claim === undefined) {
    return refused({ kind: "claim-required" });
  }
  if (claim.actionContentDigest !== guard.actionContentDigest) {
    // An action id is derived from its content: two contents of one id cannot come from one history.
    throw corruption(tables.path, {
      subject: `claim of ${guard.actionId} in stream ${streamKey}`,
      reason: `it is of action content ${claim.actionContentDigest}, the event speaks of ${guard.actionContentDigest}`,
    });
  }
  return { kind: "open", claim };
}

function closing({ tables }: WriteContext, claim: InstallClaim, append: () => void): GuardVerdict {
  return {
    kind: "passed",
    append: () => {
      append();
      tables.unsettled.remove(claim);
    },
  };
}

function keyOf({
  streamKey,
  actionId,
  actionContentDigest,
}: InstallClaim): ActionKey & { actionContentDigest: string } {
  return { streamKey, actionId, actionContentDigest };
}

function refused(result: CommitResult): GuardVerdict & { readonly kind: "refused" } {
  return { kind: "refused", result };
}
