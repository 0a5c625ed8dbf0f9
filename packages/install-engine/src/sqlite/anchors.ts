import { sha256Hex } from "../digest.ts";
import type { InstallAbandonment, InstallOutcome, InstallSettlement } from "../journal/rows.ts";
import type { JournalTables } from "./journal-tables.ts";
import type { RecordRow } from "./row-kinds.ts";
import type { Numbered } from "./row-table.ts";
import { claimedAction } from "./claimed-action.ts";
import { compareTimestamps } from "../timestamp.ts";

/**
 * What rows point to (spec 5.3). A row may be sealed by a right digest and still be forged: then what it names is not
 * there, says something else, or came later. Each function gives the first fault in words.
 */

export function recordFault({ records }: JournalTables, row: Numbered<RecordRow>): string | undefined {
  if (sha256Hex(row.replayText) !== row.replayDigest) {
    return "its replay text does not have its replay digest";
  }
  if (sha256Hex(row.transitionText) !== row.transitionDigest) {
    return "its transition text does not have its transition digest";
  }
  if (sha256Hex(row.resultStateText) !== row.resultStateDigest) {
    return "its state text does not have its state digest";
  }
  if (row.revision === 1) {
    return row.previousRecordDigest === null ? undefined : "it is the first of its stream and names one before it";
  }
  const previous = records.place(row.streamKey, row.revision - 1);
  if (previous === undefined) {
    return `record ${row.revision - 1} of its stream is missing`;
  }
  if (previous.recordDigest !== row.previousRecordDigest) {
    return `it does not follow record ${row.revision - 1} of its stream`;
  }
  return previous.sequence < row.sequence ? undefined : "it was made before the record it follows";
}

export function outcomeFault({ claims }: JournalTables, row: Numbered<InstallOutcome>): string | undefined {
  const claim = claims.of(row.streamKey, row.actionId);
  if (claim === undefined || claim.sequence >= row.sequence) {
    return "there is no claim before it";
  }
  if (
    claim.claimDigest !== row.claimDigest ||
    claim.actionContentDigest !== row.actionContentDigest ||
    claim.executionBindingDigest !== row.executionBindingDigest
  ) {
    return "it is bound to another claim, action or binding than the claim of its action";
  }
  if (compareTimestamps(row.observedAt, claim.claimedAt) < 0) {
    return "it was observed before it was claimed";
  }
  const expected = row.outcome === "applied" ? claimedAction(claim.actionText)?.materialIdentityDigest : null;
  return row.observedMaterialIdentityDigest === expected ? undefined : "it does not name the material of its action";
}

export function settlementFault(tables: JournalTables, row: Numbered<InstallSettlement>): string | undefined {
  const outcome = tables.outcomes.of(row.streamKey, row.actionId);
  if (outcome === undefined || outcome.sequence >= row.sequence) {
    return "there is no outcome before it";
  }
  if (
    outcome.claimDigest !== row.claimDigest ||
    outcome.actionContentDigest !== row.actionContentDigest ||
    outcome.outcome !== row.outcome
  ) {
    return "it settles another claim, action or outcome than the one that was recorded";
  }
  if (row.receiptEventId !== receiptEventId(outcome.outcomeDigest)) {
    return "its receipt is not the one of the recorded outcome";
  }
  return eventFault(tables, row, {
    eventId: row.receiptEventId,
    eventContentDigest: row.receiptEventContentDigest,
    recordDigest: row.receiptRecordDigest,
  });
}

export function abandonmentFault(tables: JournalTables, row: Numbered<InstallAbandonment>): string | undefined {
  const claim = tables.claims.of(row.streamKey, row.actionId);
  if (claim === undefined || claim.sequence >= row.sequence) {
    return "there is no claim before it";
  }
  if (claim.claimDigest !== row.claimDigest || claim.actionContentDigest !== row.actionContentDigest) {
    return "it abandons another claim or action than the one that was made";
  }
  if (tables.outcomes.of(row.streamKey, row.actionId) !== undefined) {
    return "its action has an outcome";
  }
  return eventFault(tables, row, row);
}

/** Id of the one event that can settle an outcome (spec 7.4). */
export function receiptEventId(outcomeDigest: string): string {
  return `ctx-install-receipt-${outcomeDigest}`;
}

/** The record of the event that made a row stands directly before it: both were added by one transaction. */
function eventFault(
  { records }: JournalTables,
  row: { readonly sequence: number; readonly streamKey: string },
  named: { readonly eventId: string; readonly eventContentDigest: string; readonly recordDigest: string },
): string | undefined {
  const record = records.ofEvent(named.eventId);
  if (record?.sequence !== row.sequence - 1) {
    return "the record of its event is not directly before it";
  }
  return record.streamKey === row.streamKey &&
    record.eventContentDigest === named.eventContentDigest &&
    record.recordDigest === named.recordDigest
    ? undefined
    : "the record of its event is another one than it names";
}
