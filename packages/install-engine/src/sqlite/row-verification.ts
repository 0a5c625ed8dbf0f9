import { corruption } from "./corruption.ts";
import type { JournalTables } from "./journal-tables.ts";
import type { Numbered, RowTable } from "./row-table.ts";

/** One row as a piece of the chain, whatever its kind. */
export interface ChainedRow {
  readonly kind: string;
  readonly sequence: number;
  readonly subject: string;
  readonly rowDigest: string;
  readonly besideText: string | null;
  /** What is wrong with the row itself and with what it points to; undefined when nothing is. */
  fault(): string | undefined;
}

/** What is wrong with what a row points to; undefined when nothing is. */
export type AnchorCheck<Row> = (tables: JournalTables, row: Numbered<Row>) => string | undefined;

/** Sees a row of any table as a piece of the chain. */
export function chainedRow<Row extends object>(
  tables: JournalTables,
  table: RowTable<Row>,
  row: Numbered<Row>,
  anchors: AnchorCheck<Row>,
): ChainedRow {
  const { kind } = table;
  const rowDigest = kind.sealed(row);
  return {
    kind: kind.kind,
    sequence: row.sequence,
    get subject() {
      return kind.subject(row);
    },
    rowDigest,
    besideText: kind.beside(row),
    fault: () =>
      sealedDigest(table, row) === rowDigest ? anchors(tables, row) : "its digest does not recompute from its members",
  };
}

/** A forged row may hold what has no canonical text at all; then no digest fits it. */
function sealedDigest<Row extends object>(table: RowTable<Row>, row: Row): string | undefined {
  try {
    return table.kind.digest(row);
  } catch {
    return undefined;
  }
}

/**
 * Verifies one row that is about to be used: its digest, what it points to, and its link in the chain. Costs the same
 * however long the journal is.
 *
 * @throws InstallEngineError JOURNAL_CORRUPT naming the row and the reason.
 */
export function verifyRow(tables: JournalTables, row: ChainedRow): void {
  const fault = row.fault() ?? linkFault(tables, row);
  if (fault !== undefined) {
    throw corruption(tables.path, { subject: row.subject, reason: fault, sequence: row.sequence });
  }
}

function linkFault({ chain }: JournalTables, row: ChainedRow): string | undefined {
  const entry = chain.at(row.sequence);
  if (entry?.kind !== row.kind) {
    return "the chain has no such row at this place";
  }
  const previous = chain.at(row.sequence - 1);
  if (previous === undefined && row.sequence > 1) {
    return "the link before it is missing";
  }
  return chain.fault(entry, previous?.entryDigest ?? null, row);
}
