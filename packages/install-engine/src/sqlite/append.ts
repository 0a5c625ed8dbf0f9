import type { JournalHead } from "../journal.ts";
import { corruption } from "./corruption.ts";
import type { JournalTables } from "./journal-tables.ts";
import type { RowTable } from "./row-table.ts";

/** Adds rows to the journal inside one transaction, each with its link in the chain. */
export class Appender {
  readonly #tables: JournalTables;
  #head: JournalHead;

  constructor(tables: JournalTables, head: JournalHead) {
    this.#tables = tables;
    this.#head = head;
  }

  /** The head after the rows that were added so far. */
  get head(): JournalHead {
    return this.#head;
  }

  /**
   * Adds one row, reads it again and compares.
   *
   * @throws InstallEngineError JOURNAL_CORRUPT when the database did not keep what it was given; the transaction must be
   * rolled back then.
   */
  append<Row extends object>(table: RowTable<Row>, row: Row): void {
    const { kind } = table;
    const before = this.#head;
    this.#head = this.#tables.chain.append(before, kind.kind, kind.sealed(row), kind.beside(row));
    const { sequence, digest } = this.#head;
    table.insert(sequence, row);
    const [kept] = table.between(sequence, sequence);
    if (kept === undefined || !table.equal(kept, row) || this.#tables.chain.at(sequence)?.entryDigest !== digest) {
      throw corruption(this.#tables.path, {
        subject: kind.subject(row),
        reason: "it was not kept as it was written",
        sequence,
      });
    }
  }
}
