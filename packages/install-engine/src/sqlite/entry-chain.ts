import { type JournalEntry, journalEntryDigest } from "../journal/rows.ts";
import type { JournalHead } from "../journal.ts";
import type { Connection, Statement } from "./connection.ts";

/** One link of the chain as the table has it. */
export interface EntryRow {
  readonly sequence: number;
  readonly kind: JournalEntry["kind"];
  readonly rowDigest: string;
  readonly entryDigest: string;
}

/** A link with what the chain covers beside the row's own digest. */
export interface EntryWithBeside extends EntryRow {
  readonly besideText: string | null;
}

/** The head of a journal without any row. */
export const EMPTY_HEAD: JournalHead = { sequence: 0, digest: null };

const ENTRY = `SELECT sequence, kind, row_digest AS "rowDigest", entry_digest AS "entryDigest" FROM entries`;

/** Links without the rows they stand for: only claims and outcomes keep something beside themselves. */
const ENTRY_WITH_BESIDE = `SELECT e.sequence, e.kind, e.row_digest AS "rowDigest", e.entry_digest AS "entryDigest",
  CASE e.kind
    WHEN 'claim' THEN (SELECT beside_json FROM claims WHERE sequence = e.sequence)
    WHEN 'outcome' THEN (SELECT beside_json FROM outcomes WHERE sequence = e.sequence)
  END AS "besideText" FROM entries e`;

/**
 * The chain of all rows of the journal, whatever their kind, in the order in which they were made. A row that was changed,
 * removed, added or moved no longer fits its entry, and an entry no longer fits the one after it.
 */
export class EntryChain {
  readonly #last: Statement<[], EntryRow>;
  readonly #at: Statement<[number], EntryRow>;
  readonly #range: Statement<[number, number], EntryRow>;
  readonly #links: Statement<[number, number], EntryWithBeside>;
  readonly #first: Statement<[], { first: number | null }>;
  readonly #insert: Statement<[number, string, string, string], never>;

  constructor(connection: Connection) {
    this.#last = connection.prepare(`${ENTRY} ORDER BY sequence DESC LIMIT 1`);
    this.#at = connection.prepare(`${ENTRY} WHERE sequence = ?`);
    this.#range = connection.prepare(`${ENTRY} WHERE sequence BETWEEN ? AND ? ORDER BY sequence`);
    this.#links = connection.prepare(`${ENTRY_WITH_BESIDE} WHERE e.sequence BETWEEN ? AND ? ORDER BY e.sequence`);
    this.#first = connection.prepare("SELECT min(sequence) AS first FROM entries");
    this.#insert = connection.prepare(
      "INSERT INTO entries (sequence, kind, row_digest, entry_digest) VALUES (?, ?, ?, ?)",
    );
  }

  /** The newest link. */
  head(): JournalHead {
    const last = this.#last.get();
    return last === undefined ? EMPTY_HEAD : { sequence: last.sequence, digest: last.entryDigest };
  }

  /** The lowest sequence number there is; null for an empty chain. */
  first(): number | null {
    return this.#first.get()?.first ?? null;
  }

  at(sequence: number): EntryRow | undefined {
    return this.#at.get(sequence);
  }

  between(first: number, last: number): EntryRow[] {
    return this.#range.all(first, last);
  }

  /** The links of a range with what is kept beside their rows: all that recomputing the links needs. */
  links(first: number, last: number): EntryWithBeside[] {
    return this.#links.all(first, last);
  }

  /** Adds a link for a row, and gives the new head. */
  append(head: JournalHead, kind: JournalEntry["kind"], rowDigest: string, besideText: string | null): JournalHead {
    const sequence = head.sequence + 1;
    const digest = journalEntryDigest({ sequence, kind, rowDigest, besideText, previousEntryDigest: head.digest });
    this.#insert.run(sequence, kind, rowDigest, digest);
    return { sequence, digest };
  }

  /** What is wrong with a link, given the digest of the one before it and its row; undefined when nothing is. */
  fault(
    entry: EntryRow,
    previousDigest: string | null,
    row: { rowDigest: string; besideText: string | null },
  ): string | undefined {
    if (entry.rowDigest !== row.rowDigest) {
      return `its digest is ${row.rowDigest}, the chain has ${entry.rowDigest} there`;
    }
    const expected = journalEntryDigest({
      sequence: entry.sequence,
      kind: entry.kind,
      rowDigest: entry.rowDigest,
      besideText: row.besideText,
      previousEntryDigest: previousDigest,
    });
    return entry.entryDigest === expected
      ? undefined
      : "its link does not recompute from the one before it, its own digest and what is kept beside it";
  }
}
