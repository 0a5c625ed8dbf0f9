import { sha256Hex } from "../digest.ts";
import { InstallEngineError } from "../error.ts";
import type { ClaimRequest, CommitGuard, CommitRequest } from "../journal.ts";
import { isJournalable } from "../types/privacy.ts";
import { streamKeyOf } from "../types/scope.ts";
import { type EventMembers, eventMembers } from "./action-text.ts";
import { claimTermsFault, closesAction, receiptEventId } from "./anchors.ts";
import { type JournalRecord, journalRecordDigest } from "./rows.ts";

/**
 * What a store demands of a request before it locks anything: a request that could never be read back through the
 * anchors is a mistake of the caller, not a race that was lost.
 */

/**
 * Checks that a record is what it says, and that its guard is the one its event needs: an event that closes an action
 * cannot be added without the guard that closes it (spec 6, raw receipts), a decision not without the clock.
 *
 * @throws InstallEngineError INVALID_VALUE, DIGEST_MISMATCH; the fact `field` names the member.
 */
export function checkCommitRequest({ record, guard }: CommitRequest): void {
  checkRecord(record);
  const event = eventMembers(record.replayText);
  const needed = guardOf(event);
  if (guard.kind !== needed) {
    throw invalid("journal record", "guard", `is ${guard.kind}; an event ${String(event.kind)} needs ${needed}`);
  }
  if ("actionId" in guard && !closesAction(record, guard, String(event.kind))) {
    throw invalid("journal record", "guard", "is about another action than the event");
  }
  if (guard.kind === "settle" && !isReceipt(record, guard)) {
    throw invalid("journal record", "guard", "is about another outcome than the receipt");
  }
}

/** The one guard that an event can be added under: without it, a record could say what no clock or row agrees with. */
function guardOf({ kind, decision }: EventMembers): CommitGuard["kind"] {
  switch (kind) {
    case "UserDecision":
      return decision === "expired" ? "expire-consent" : "decision";
    case "InstallConsentExpired":
      return "expire-consent";
    case "ActionApplied":
    case "ActionFailed":
      return "settle";
    case "ActionExpired":
      return "expire-action";
    case "InstallAbandoned":
      return "abandon";
    case "InstallTargetRebound":
      return "rebind";
    default:
      return "none";
  }
}

function isReceipt(record: JournalRecord, guard: CommitGuard & { readonly kind: "settle" }): boolean {
  const { kind, outcomeDigest } = eventMembers(record.replayText);
  return (
    kind === (guard.outcome === "applied" ? "ActionApplied" : "ActionFailed") &&
    outcomeDigest === guard.outcomeDigest &&
    record.eventId === receiptEventId(guard.outcomeDigest)
  );
}

/**
 * Checks that the members of a claim fit each other.
 *
 * @throws InstallEngineError INVALID_VALUE; the fact `field` names the member.
 */
export function checkClaimRequest(request: ClaimRequest): void {
  const member = claimTermsFault(request);
  if (member !== undefined) {
    throw invalid("claim request", member, "does not fit the texts of the action and the binding");
  }
}

/**
 * Checks the size of a page: a page without an end would hold a whole journal in memory.
 *
 * @throws InstallEngineError INVALID_VALUE.
 */
export function checkPage({ limit }: { readonly limit: number }): void {
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw invalid("page", "limit", `is ${limit}; expected a whole number from 1 on`);
  }
}

function checkRecord(record: JournalRecord): void {
  if (!Number.isSafeInteger(record.revision) || record.revision < 1) {
    throw invalid("journal record", "revision", `is ${record.revision}; expected a whole number from 1 on`);
  }
  if (record.streamKey !== streamKeyOf(record.stream)) {
    throw invalid("journal record", "streamKey", "is not the canonical text of the stream");
  }
  if (!isJournalable({ classification: record.privacyClassification, retention: record.retentionClass })) {
    throw invalid("journal record", "retentionClass", `is ${record.retentionClass}, which a journal may not keep`);
  }
  const digests = [
    ["replayDigest", sha256Hex(record.replayText)],
    ["transitionDigest", sha256Hex(record.transitionText)],
    ["resultStateDigest", sha256Hex(record.resultStateText)],
    ["recordDigest", journalRecordDigest(record)],
  ] as const;
  for (const [member, digest] of digests) {
    if (record[member] !== digest) {
      throw new InstallEngineError({
        code: "DIGEST_MISMATCH",
        message: `journal record ${record.eventId}: ${member} is ${record[member]}, its text has ${digest}`,
        facts: { type: "journal record", field: member, found: record[member], expected: digest },
      });
    }
  }
}

function invalid(type: string, field: string, fault: string): InstallEngineError {
  return new InstallEngineError({
    code: "INVALID_VALUE",
    message: `${type}: ${field} ${fault}`,
    facts: { type, field },
  });
}
