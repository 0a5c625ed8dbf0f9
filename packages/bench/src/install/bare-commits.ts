import { randomUUID } from "node:crypto";
import { join } from "node:path";

import { openJournal } from "@mesh/install-engine/sqlite";
import Database from "better-sqlite3";
import { openInstallParts } from "./parts.ts";

type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;

/** One row that an install adds. */
interface Addition {
  readonly table: string;
  readonly row: Row;
}

/** What one install adds to the journal. */
interface Recording {
  /** Commit by commit, in order; `entries` is the chain, whose rows come before those that they are about. */
  readonly commits: readonly (readonly Addition[])[];
  readonly stream: Row;
}

/** The session of the recorded install: as long as the names that replace it. */
const RECORDED_SESSION = "00000000-0000-0000-0000-000000000000";

/** Columns whose values are unique in a journal, beside those that hold the session. */
const UNIQUE_COLUMNS: ReadonlySet<string> = new Set(["event_id", "receipt_event_id", "action_id"]);

/** Table of each kind of row in the chain. */
const TABLES: ReadonlyMap<Value | undefined, string> = new Map([
  ["record", "records"],
  ["claim", "claims"],
  ["outcome", "outcomes"],
  ["settlement", "settlements"],
]);

/** Makes one install with everything that is real, and reads what it added. */
async function recordInstall(folder: string): Promise<Recording> {
  {
    await using parts = await openInstallParts(folder);
    await parts.install(RECORDED_SESSION);
  }
  const database = new Database(join(folder, "journal", "journal.sqlite3"), { readonly: true });
  try {
    const rows = (table: string): Row[] => database.prepare<[], Row>(`SELECT * FROM ${table}`).all();
    const commits: Addition[][] = [];
    for (const entry of rows("entries")) {
      const { kind, sequence } = entry;
      const table = TABLES.get(kind) ?? "";
      const additions: Addition[] = [{ table: "entries", row: entry }];
      for (const row of rows(table)) if (row["sequence"] === sequence) additions.push({ table, row });
      // The settlement goes with the record of its receipt; every other row has a commit of its own.
      if (kind === "settlement") commits.at(-1)?.push(...additions);
      else commits.push(additions);
    }
    return { commits, stream: rows("streams")[0] ?? {} };
  } finally {
    database.close();
  }
}

/** The commits of installs and nothing else: the same rows into the same tables by raw SQLite, made and checked by nobody. */
export class BareCommits implements Disposable {
  readonly #database: Database.Database;
  readonly #recording: Recording;
  readonly #statements = new Map<string, Database.Statement<Value[]>>();
  #sequence = 0;

  private constructor(database: Database.Database, recording: Recording) {
    this.#database = database;
    this.#recording = recording;
  }

  static async open(folder: string): Promise<BareCommits> {
    const recording = await recordInstall(join(folder, "recorded"));
    const path = join(folder, "bare", "journal.sqlite3");
    await (await openJournal({ path })).close();
    const database = new Database(path);
    database.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    return new BareCommits(database, recording);
  }

  /** How many commits an install makes. */
  get commits(): number {
    return this.#recording.commits.length;
  }

  /** Commits what one install commits, under names of its own. */
  install(): void {
    const rename = renaming();
    let revision = 0;
    for (const additions of this.#recording.commits) {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const { table, row } of additions) {
        if (table === "entries") this.#sequence += 1;
        if (table === "records") {
          revision += 1;
          this.#insert("streams", { ...rename(this.#recording.stream), revision });
        }
        this.#add(table, { ...rename(row), sequence: this.#sequence });
      }
      this.#database.exec("COMMIT");
    }
  }

  #add(table: string, row: Row): void {
    const { stream_key = null, action_id = null } = row;
    this.#insert(table, row);
    if (table === "claims") this.#insert("unsettled", { stream_key, action_id });
    if (table === "settlements") {
      this.#run("DELETE FROM unsettled WHERE stream_key = ? AND action_id = ?", [stream_key, action_id]);
    }
  }

  #insert(table: string, row: Row): void {
    const columns = Object.keys(row).join(", ");
    const values = Object.values(row);
    const update = table === "streams" ? " ON CONFLICT (stream_key) DO UPDATE SET revision = excluded.revision" : "";
    this.#run(`INSERT INTO ${table} (${columns}) VALUES (${values.map(() => "?").join(", ")})${update}`, values);
  }

  #run(sql: string, values: readonly Value[]): void {
    const statement = this.#statements.get(sql) ?? this.#database.prepare<Value[]>(sql);
    this.#statements.set(sql, statement);
    statement.run(...values);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** Gives the names in recorded rows, which are unique in a journal, new values of the same length. */
function renaming(): (row: Row) => Row {
  const session = randomUUID();
  const names = new Map<string, string>();
  const nameFor = (recorded: string): string => {
    const name = names.get(recorded) ?? `${randomUUID()}${recorded}`.slice(0, recorded.length);
    names.set(recorded, name);
    return name;
  };
  const rename = ([column, value]: [string, Value]): [string, Value] => {
    if (typeof value !== "string") return [column, value];
    if (UNIQUE_COLUMNS.has(column)) return [column, nameFor(value)];
    return [
      column,
      column === "stream_key" || column === "session_id" ? value.replace(RECORDED_SESSION, session) : value,
    ];
  };
  return (row) => Object.fromEntries(Object.entries(row).map(rename));
}
