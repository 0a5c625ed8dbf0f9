import { abandonmentFault, claimFault, outcomeFault, recordTextsFault, settlementFault } from "../journal/anchors.ts";
import type { InstallAbandonment, InstallClaim, InstallOutcome, InstallSettlement } from "../journal/rows.ts";
import type { JournalTables } from "./journal-tables.ts";
import type { RecordRow } from "./row-kinds.ts";
import type { Numbered } from "./row-table.ts";

/**
 * Looks up what a row points to, and checks both what it says (`journal/anchors.ts`) and when it was made: nothing may
 * point to what came later. Each function gives the first fault in words.
 */

export function recordAnchors({ records }: JournalTables, row: Numbered<RecordRow>): string | undefined {
  const fault = recordTextsFault(row);
  if (fault !== undefined) {
    return fault;
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

export function claimAnchors({ records }: JournalTables, row: Numbered<InstallClaim>): string | undefined {
  const issuing = records.at(row.streamKey, row.preconditionRevision);
  const head =
    row.claimedHeadRevision === row.preconditionRevision ? issuing : records.at(row.streamKey, row.claimedHeadRevision);
  const fault = claimFault(row, issuing, head);
  if (fault !== undefined) {
    return fault;
  }
  if ((issuing?.sequence ?? 0) >= row.sequence || (head?.sequence ?? 0) >= row.sequence) {
    return "it was made before the records that it names";
  }
  const next = records.place(row.streamKey, row.claimedHeadRevision + 1);
  return next === undefined || next.sequence > row.sequence
    ? undefined
    : "its head was not the newest record at its time";
}

export function outcomeAnchors({ claims }: JournalTables, row: Numbered<InstallOutcome>): string | undefined {
  const claim = claims.of(row.streamKey, row.actionId);
  return claim === undefined || claim.sequence >= row.sequence ? NO_CLAIM : outcomeFault(row, claim);
}

export function settlementAnchors(tables: JournalTables, row: Numbered<InstallSettlement>): string | undefined {
  const outcome = tables.outcomes.of(row.streamKey, row.actionId);
  if (outcome === undefined || outcome.sequence >= row.sequence) {
    return "there is no outcome before it";
  }
  const receipt = recordBefore(tables, row, row.receiptEventId);
  return receipt === undefined ? NO_EVENT : settlementFault(row, outcome, receipt);
}

export function abandonmentAnchors(tables: JournalTables, row: Numbered<InstallAbandonment>): string | undefined {
  const claim = tables.claims.of(row.streamKey, row.actionId);
  if (claim === undefined || claim.sequence >= row.sequence) {
    return NO_CLAIM;
  }
  if (tables.outcomes.has(row.streamKey, row.actionId)) {
    return "its action has an outcome";
  }
  const record = recordBefore(tables, row, row.eventId);
  return record === undefined ? NO_EVENT : abandonmentFault(row, claim, record);
}

const NO_CLAIM = "there is no claim before it";
const NO_EVENT = "the record of its event is not directly before it";

/** The record of the event that made a row stands directly before it: one transaction added both. */
function recordBefore(
  { records }: JournalTables,
  row: { readonly sequence: number },
  eventId: string,
): Numbered<RecordRow> | undefined {
  const record = records.ofEvent(eventId);
  return record?.sequence === row.sequence - 1 ? record : undefined;
}
