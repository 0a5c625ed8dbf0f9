import { createRequire } from "node:module";
import { dirname } from "node:path";
import type BetterSqlite3 from "better-sqlite3";
import { InstallEngineError } from "../error.ts";
import { DRIVER_NODE_API_MIN } from "./limits.ts";

/** A value SQLite stores for us. Integers stay below 2^53, so that a JavaScript number holds each of them exactly. */
export type SqlValue = string | number | null;

/** One prepared statement. */
export interface Statement<Parameters extends SqlValue[], Row> {
  run(...parameters: Parameters): { readonly changes: number };
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
}

/** One open database, as much of it as the journal uses. */
export interface Connection {
  readonly inTransaction: boolean;
  exec(sql: string): void;
  /** The single value of a pragma. */
  pragma(sql: string): unknown;
  /** Compiles a statement once per connection; the schema was checked before, so a row has the shape of its table. */
  prepare<Parameters extends SqlValue[], Row>(sql: string): Statement<Parameters, Row>;
  close(): void;
}

interface Driver {
  readonly Database: typeof BetterSqlite3;
  /** The folder of the driver's package: its identity in this process. */
  readonly location: string;
}

/**
 * Two copies of SQLite in one process do not see each other's locks: both get the write lock, and the one that closes
 * deletes the log that the other still writes to. So the first copy of this package that needs a driver publishes it
 * here, and every other copy on this thread uses the same one. Threads that load another copy are refused by the lease
 * (`process-lease.ts`).
 */
const SHARED_DRIVER = Symbol.for("@mesh/install-engine/sqlite-driver-1");

/**
 * The driver of this process, loaded on first use, so that the engine's core has no database.
 *
 * @throws InstallEngineError JOURNAL_RUNTIME_UNSUPPORTED when this Node cannot load the driver.
 */
function driver(): Driver {
  const shared: unknown = Reflect.get(globalThis, SHARED_DRIVER);
  if (isDriver(shared)) {
    return shared;
  }
  const loaded = loadDriver();
  Object.defineProperty(globalThis, SHARED_DRIVER, { value: loaded });
  return loaded;
}

function loadDriver(): Driver {
  const nodeApi = Number(process.versions["napi"]);
  // The check comes before the require: on an older Node the driver does not throw, it ends the process by a signal.
  if (!(nodeApi >= DRIVER_NODE_API_MIN)) {
    throw new InstallEngineError({
      code: "JOURNAL_RUNTIME_UNSUPPORTED",
      message: `Node ${process.version} has Node-API ${nodeApi}; the journal's SQLite driver needs ${DRIVER_NODE_API_MIN}. Use Node 22.14 or newer.`,
      facts: { nodeVersion: process.version, nodeApiFound: nodeApi, nodeApiExpected: DRIVER_NODE_API_MIN },
    });
  }
  const require = createRequire(import.meta.url);
  try {
    const candidate: unknown = {
      Database: require("better-sqlite3") as unknown,
      location: dirname(require.resolve("better-sqlite3/package.json")),
    };
    if (isDriver(candidate)) {
      return candidate;
    }
  } catch (cause) {
    throw unsupported("could not be loaded", cause);
  }
  throw unsupported("is not a constructor", undefined);
}

function isDriver(value: unknown): value is Driver {
  return (
    typeof value === "object" &&
    value !== null &&
    "Database" in value &&
    typeof value.Database === "function" &&
    "location" in value &&
    typeof value.location === "string"
  );
}

function unsupported(what: string, cause: unknown): InstallEngineError {
  return new InstallEngineError({
    code: "JOURNAL_RUNTIME_UNSUPPORTED",
    message: `The journal's SQLite driver, better-sqlite3, ${what} on ${process.platform} ${process.arch}, Node ${process.version}. It needs glibc 2.34 or newer, or musl; reinstall this package's dependencies for this machine.`,
    cause,
    facts: { nodeVersion: process.version, platform: process.platform, architecture: process.arch },
  });
}

/** Which copy of SQLite this thread uses. */
export function driverLocation(): string {
  return driver().location;
}

/** The version of SQLite inside the driver, for reports. */
export function sqliteVersion(): string {
  const connection = new (driver().Database)(":memory:");
  try {
    return String(connection.prepare("SELECT sqlite_version()").pluck().get());
  } finally {
    connection.close();
  }
}

/**
 * Opens an existing database file. Never waits for a lock: `timeout` 0 makes SQLite answer busy at once, and the caller
 * waits without holding the event loop.
 */
export function openConnection(path: string, options: { readonly readOnly: boolean }): Connection {
  const database = new (driver().Database)(path, { readonly: options.readOnly, fileMustExist: true, timeout: 0 });
  return wrap(database);
}

/** The bytes of a new database file that holds what `sql` makes, and nothing else. */
export function databaseBytes(sql: string): Uint8Array {
  const database = new (driver().Database)(":memory:");
  try {
    database.exec(sql);
    return database.serialize();
  } finally {
    database.close();
  }
}

function wrap(database: BetterSqlite3.Database): Connection {
  return {
    get inTransaction() {
      return database.inTransaction;
    },
    exec: (sql) => void database.exec(sql),
    pragma: (sql) => database.pragma(sql, { simple: true }),
    prepare: <Parameters extends SqlValue[], Row>(sql: string) => {
      const statement = database.prepare<SqlValue[], Row>(sql);
      const prepared: Statement<Parameters, Row> = {
        run: (...parameters) => statement.run(...parameters),
        get: (...parameters) => statement.get(...parameters),
        all: (...parameters) => statement.all(...parameters),
      };
      return prepared;
    },
    close: () => void database.close(),
  };
}

/** The symbolic code of an error that SQLite itself gave, for example `SQLITE_BUSY`; undefined for every other error. */
export function sqliteCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" && /^SQLITE_/.test(error.code)
    ? error.code
    : undefined;
}

/** Whether SQLite refused because somebody else holds a lock it needs; the same call may succeed later. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(error) ?? "");
}
