import type { JournalEntry } from "../journal/rows.ts";
import type { JournalHead } from "../journal.ts";
import { abandonmentAnchors, claimAnchors, outcomeAnchors, recordAnchors, settlementAnchors } from "./anchors.ts";
import { corruption } from "./corruption.ts";
import type { JournalTables } from "./journal-tables.ts";
import { type AnchorCheck, type ChainedRow, chainedRow } from "./row-verification.ts";
import type { RowTable } from "./row-table.ts";

/**
 * Verifies the rows after a head that is known to be good, up to and including one sequence number: that each is there
 * once and in its place, that its digest, its link and what it points to are right.
 *
 * @returns the head at `last`.
 * @throws InstallEngineError JOURNAL_CORRUPT naming the first bad row and the reason.
 */
export function verifyChain(
  tables: JournalTables,
  good: JournalHead,
  last: number,
  onRow: (kind: JournalEntry["kind"]) => void = () => undefined,
): JournalHead {
  const rows = rowsBySequence(tables, good.sequence + 1, last);
  let head = good;
  for (const entry of tables.chain.between(good.sequence + 1, last)) {
    const { sequence, kind } = entry;
    if (sequence !== head.sequence + 1) {
      throw corruption(tables.path, { subject: "link of the chain", reason: "missing", sequence: head.sequence + 1 });
    }
    const row = rows.get(sequence);
    if (row?.kind !== kind) {
      throw corruption(tables.path, { subject: `${kind} that the chain has here`, reason: "missing", sequence });
    }
    const fault = row.fault() ?? tables.chain.fault(entry, head.digest, row);
    if (fault !== undefined) {
      throw corruption(tables.path, { subject: row.subject, reason: fault, sequence });
    }
    rows.delete(sequence);
    onRow(kind);
    head = { sequence, digest: entry.entryDigest };
  }
  if (head.sequence !== last) {
    throw corruption(tables.path, { subject: "link of the chain", reason: "missing", sequence: head.sequence + 1 });
  }
  for (const { sequence, subject } of rows.values()) {
    throw corruption(tables.path, { subject, reason: "the chain does not have it", sequence });
  }
  return head;
}

/**
 * Follows the links after a head that is known to be good, up to and including one sequence number, without reading the
 * rows: that nothing before was changed in the chain, left out or put in another order. Costs a fraction of `verifyChain`.
 *
 * @returns the head at `last`.
 * @throws InstallEngineError JOURNAL_CORRUPT naming the first bad link and the reason.
 */
export function followLinks(tables: JournalTables, good: JournalHead, last: number): JournalHead {
  let head = good;
  for (const link of tables.chain.links(good.sequence + 1, last)) {
    const { sequence, kind } = link;
    if (sequence !== head.sequence + 1) {
      break;
    }
    const fault = tables.chain.fault(link, head.digest, link);
    if (fault !== undefined) {
      throw corruption(tables.path, { subject: `link of a ${kind} in the chain`, reason: fault, sequence });
    }
    head = { sequence, digest: link.entryDigest };
  }
  if (head.sequence !== last) {
    throw corruption(tables.path, { subject: "link of the chain", reason: "missing", sequence: head.sequence + 1 });
  }
  return head;
}

/** Refuses rows outside the chain: an insertion there would be seen by no verification of a range. */
export function verifyBounds(tables: JournalTables): void {
  const head = tables.chain.head();
  const first = tables.chain.first();
  if (first !== null && first !== 1) {
    throw corruption(tables.path, { subject: "link of the chain", reason: "missing", sequence: 1 });
  }
  const { records, claims, outcomes, settlements, abandonments } = tables;
  for (const { name, bounds } of [records, claims, outcomes, settlements, abandonments]) {
    const { lowest, highest } = bounds();
    const stray = lowest !== null && lowest < 1 ? lowest : highest !== null && highest > head.sequence ? highest : null;
    if (stray !== null) {
      throw corruption(tables.path, {
        subject: `row of ${name}`,
        reason: "the chain does not have it",
        sequence: stray,
      });
    }
  }
}

function rowsBySequence(tables: JournalTables, first: number, last: number): Map<number, ChainedRow> {
  const rows = new Map<number, ChainedRow>();
  const collect = <Row extends object>(table: RowTable<Row>, anchors: AnchorCheck<Row>): void => {
    for (const row of table.between(first, last)) {
      const chained = chainedRow(tables, table, row, anchors);
      if (rows.has(row.sequence)) {
        throw corruption(tables.path, {
          subject: chained.subject,
          reason: "another row has the same place",
          sequence: row.sequence,
        });
      }
      rows.set(row.sequence, chained);
    }
  };
  collect(tables.records, recordAnchors);
  collect(tables.claims, claimAnchors);
  collect(tables.outcomes, outcomeAnchors);
  collect(tables.settlements, settlementAnchors);
  collect(tables.abandonments, abandonmentAnchors);
  return rows;
}
