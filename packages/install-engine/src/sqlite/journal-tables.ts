import type { InstallAbandonment, InstallClaim, InstallOutcome, InstallSettlement } from "../journal/rows.ts";
import type { Connection, Statement } from "./connection.ts";
import { EntryChain } from "./entry-chain.ts";
import { ABANDONMENTS, CLAIMS, OUTCOMES, type RecordRow, RECORDS, SETTLEMENTS } from "./row-kinds.ts";
import { StreamTable } from "./streams.ts";
import { UnsettledTable } from "./unsettled.ts";
import { type Numbered, type RowKind, RowTable } from "./row-table.ts";

/** The statements on a table whose rows belong to one action each. */
export class ActionTable<Row extends object> extends RowTable<Row> {
  readonly #byAction: Statement<[string, string], Numbered<Row>>;
  readonly #present: Statement<[string, string], { sequence: number }>;

  constructor(connection: Connection, kind: RowKind<Row>) {
    super(connection, kind);
    this.#byAction = this.select("WHERE stream_key = ? AND action_id = ?");
    this.#present = connection.prepare(`SELECT sequence FROM ${kind.table} WHERE stream_key = ? AND action_id = ?`);
  }

  has(streamKey: string, actionId: string): boolean {
    return this.#present.get(streamKey, actionId) !== undefined;
  }

  /** The row of one action. */
  of(streamKey: string, actionId: string): Numbered<Row> | undefined {
    return this.#byAction.get(streamKey, actionId);
  }
}

/** Where a record is and what it is called. */
export interface RecordPlace {
  readonly sequence: number;
  readonly recordDigest: string;
}

/** Where the newest record of a stream is, and what the projection says of it. */
export interface NewestPlace extends RecordPlace {
  readonly revision: number;
  readonly stateDigest: string;
}

/** The statements on the records. */
export class RecordTable extends RowTable<RecordRow> {
  readonly #byRevision: Statement<[string, number], Numbered<RecordRow>>;
  readonly #byEvent: Statement<[string], Numbered<RecordRow>>;
  readonly #place: Statement<[string, number], RecordPlace>;
  readonly #newestPlace: Statement<[string], NewestPlace>;
  readonly #streamAfter: Statement<[string], { key: string | null }>;
  readonly #page: Statement<[string, number, number, number], Numbered<RecordRow>>;

  constructor(connection: Connection) {
    super(connection, RECORDS);
    this.#byRevision = this.select("WHERE stream_key = ? AND revision = ?");
    this.#byEvent = this.select("WHERE event_id = ?");
    this.#place = connection.prepare(
      `SELECT sequence, record_digest AS "recordDigest" FROM records WHERE stream_key = ? AND revision = ?`,
    );
    this.#newestPlace = connection.prepare(
      `SELECT sequence, revision, record_digest AS "recordDigest", result_state_digest AS "stateDigest" FROM records
       WHERE stream_key = ? ORDER BY revision DESC LIMIT 1`,
    );
    this.#streamAfter = connection.prepare("SELECT min(stream_key) AS key FROM records WHERE stream_key > ?");
    this.#page = this.select("WHERE stream_key = ? AND revision > ? AND revision <= ? ORDER BY revision LIMIT ?");
  }

  /** The first stream key after another one, in code point order. */
  readonly streamAfter = (after: string): string | undefined => this.#streamAfter.get(after)?.key ?? undefined;

  at(streamKey: string, revision: number): Numbered<RecordRow> | undefined {
    return this.#byRevision.get(streamKey, revision);
  }

  ofEvent(eventId: string): Numbered<RecordRow> | undefined {
    return this.#byEvent.get(eventId);
  }

  /** A record without its texts. */
  place(streamKey: string, revision: number): RecordPlace | undefined {
    return this.#place.get(streamKey, revision);
  }

  /** The newest record of a stream without its texts. */
  newestPlace(streamKey: string): NewestPlace | undefined {
    return this.#newestPlace.get(streamKey);
  }

  /** Records after one revision up to another, at most `limit`. */
  page(streamKey: string, after: number, last: number, limit: number): Numbered<RecordRow>[] {
    return this.#page.all(streamKey, after, last, limit);
  }
}

/** Everything that is kept in one database, as statements that were compiled once. */
export interface JournalTables {
  /** Path of the database, for errors. */
  readonly path: string;
  readonly connection: Connection;
  readonly chain: EntryChain;
  readonly streams: StreamTable;
  readonly records: RecordTable;
  readonly claims: ActionTable<InstallClaim>;
  readonly outcomes: ActionTable<InstallOutcome>;
  readonly settlements: ActionTable<InstallSettlement>;
  readonly abandonments: ActionTable<InstallAbandonment>;
  readonly unsettled: UnsettledTable;
}

/** Compiles the statements; the schema was verified before. */
export function prepareTables(connection: Connection, path: string): JournalTables {
  return {
    path,
    connection,
    chain: new EntryChain(connection),
    streams: new StreamTable(connection),
    unsettled: new UnsettledTable(connection),
    records: new RecordTable(connection),
    claims: new ActionTable(connection, CLAIMS),
    outcomes: new ActionTable(connection, OUTCOMES),
    settlements: new ActionTable(connection, SETTLEMENTS),
    abandonments: new ActionTable(connection, ABANDONMENTS),
  };
}
