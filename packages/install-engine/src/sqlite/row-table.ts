import type { JournalEntry } from "../journal/rows.ts";
import type { Connection, SqlValue, Statement } from "./connection.ts";

/** One kind of row: its table, its members and the digest that seals them. */
export interface RowKind<Row extends object> {
  readonly kind: JournalEntry["kind"];
  readonly table: string;
  /** Column of each member of the row, in the order of the table. */
  readonly columns: { readonly [Member in keyof Row]: string };
  /** The digest as the row has it. */
  sealed(row: Row): string;
  /** The digest as it follows from the other members. */
  digest(row: Row): string;
  /** The text beside the row that only the entry digest covers. */
  beside(row: Row): string | null;
  /** What to call one row in an error. */
  subject(row: Row): string;
}

/** A row and its number in the journal. */
export type Numbered<Row> = Row & { readonly sequence: number };

/** The ends of a table. */
export interface SequenceBounds {
  readonly lowest: number | null;
  readonly highest: number | null;
}

/** The statements on one table, compiled once per connection. */
export class RowTable<Row extends object> {
  readonly kind: RowKind<Row>;
  /** The table's name. */
  readonly name: string;
  readonly #select: string;
  readonly #connection: Connection;
  readonly #insert: Statement<SqlValue[], never>;
  readonly #range: Statement<[number, number], Numbered<Row>>;
  readonly #bounds: Statement<[], SequenceBounds>;
  readonly #members: readonly (keyof Row & string)[];

  constructor(connection: Connection, kind: RowKind<Row>) {
    this.kind = kind;
    this.name = kind.table;
    this.#connection = connection;
    const columns = Object.entries<string>(kind.columns);
    // The keys of the mapping are the members of the row by its type.
    this.#members = Object.keys(kind.columns) as (keyof Row & string)[];
    this.#select = `SELECT sequence, ${columns.map(([member, column]) => `${column} AS "${member}"`).join(", ")} FROM ${kind.table}`;
    this.#insert = connection.prepare(
      `INSERT INTO ${kind.table} (sequence, ${columns.map(([, column]) => column).join(", ")}) VALUES (?${", ?".repeat(columns.length)})`,
    );
    this.#range = connection.prepare(`${this.#select} WHERE sequence BETWEEN ? AND ? ORDER BY sequence`);
    // One query for each end: SQLite walks the whole table to find both in one.
    this.#bounds = connection.prepare(
      `SELECT (SELECT min(sequence) FROM ${kind.table}) AS lowest, (SELECT max(sequence) FROM ${kind.table}) AS highest`,
    );
  }

  /** Compiles a selection of whole rows by a condition of ours. */
  select<Parameters extends SqlValue[]>(condition: string): Statement<Parameters, Numbered<Row>> {
    return this.#connection.prepare(`${this.#select} ${condition}`);
  }

  insert(sequence: number, row: Row): void {
    // Every member is a text, a whole number or null by the row types; STRICT tables refuse anything else.
    this.#insert.run(sequence, ...this.#members.map((member) => row[member] as SqlValue));
  }

  /** The rows from one sequence number to another, both included, in order. */
  between(first: number, last: number): Numbered<Row>[] {
    return this.#range.all(first, last);
  }

  /** The lowest and highest sequence number, null when there is no row. */
  readonly bounds = (): SequenceBounds => this.#bounds.get() ?? { lowest: null, highest: null };

  /** The row as the port has it: where it lies in this database is nobody else's concern. */
  withoutSequence(row: Numbered<Row>): Row {
    const plain: Row & { sequence?: number } = { ...row };
    delete plain.sequence;
    return plain;
  }

  /** Whether two rows have the same members, one by one. */
  equal(left: Row, right: Row): boolean {
    return this.#members.every((member) => left[member] === right[member]);
  }
}
