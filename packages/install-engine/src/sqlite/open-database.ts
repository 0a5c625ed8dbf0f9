import { type Connection, isBusy, openConnection } from "./connection.ts";
import { assertSameDatabaseFile, inspectDatabaseFile, inspectSideFiles } from "./database-file.ts";
import { InstallEngineError } from "../error.ts";
import type { JournalLocation } from "./journal-directory.ts";
import { verifySchema } from "./schema.ts";
import { journalFailure } from "./sqlite-failure.ts";

/** What SQLite must answer to a pragma before anything is written. */
const DURABILITY: readonly (readonly [pragma: string, wanted: string, answer: string | number])[] = [
  ["journal_mode", "WAL", "wal"],
  // FULL syncs the log at every commit. The driver's own default in WAL mode is NORMAL, which loses the last commits.
  ["synchronous", "FULL", 2],
  ["foreign_keys", "ON", 1],
  // A statement never waits for a lock: waiting is asynchronous (design D8).
  ["busy_timeout", "0", 0],
];

/**
 * Opens the database that exists at a location. It is first opened read-only and looked at: whatever is not a journal of
 * this format is refused before SQLite could recover, check-point or convert it.
 *
 * @returns undefined when another process holds a lock that opening needs; nothing is open then.
 * @throws InstallEngineError JOURNAL_MISSING, JOURNAL_FILE_UNSAFE, JOURNAL_NOT_A_JOURNAL, JOURNAL_FORMAT_NEWER,
 * JOURNAL_CORRUPT, JOURNAL_READ_FAILED.
 */
export function openDatabase(
  location: JournalLocation,
  options: { readonly readOnly: boolean },
): Connection | undefined {
  const identity = inspectDatabaseFile(location);
  inspectSideFiles(location);
  const opened: Connection[] = [];
  try {
    const reader = open(opened, location, true);
    reader.exec("PRAGMA query_only = ON");
    verifySchema(reader, location.path);
    assertSameDatabaseFile(location, identity);
    if (options.readOnly) {
      return reader;
    }
    const writer = open(opened, location, false);
    makeDurable(writer, location.path);
    verifySchema(writer, location.path);
    assertSameDatabaseFile(location, identity);
    inspectSideFiles(location);
    // Not before: SQLite keeps its locks for the process as long as one connection is open.
    reader.close();
    return writer;
  } catch (error) {
    for (const connection of opened) {
      connection.close();
    }
    if (isBusy(error)) {
      return undefined;
    }
    throw journalFailure(error, location.path, "open");
  }
}

function open(opened: Connection[], location: JournalLocation, readOnly: boolean): Connection {
  const connection = openConnection(location.path, { readOnly });
  opened.push(connection);
  return connection;
}

function makeDurable(connection: Connection, path: string): void {
  for (const [pragma, wanted, answer] of DURABILITY) {
    connection.pragma(`${pragma} = ${wanted}`);
    const found = connection.pragma(pragma);
    if (found !== answer) {
      throw new InstallEngineError({
        code: "JOURNAL_RUNTIME_UNSUPPORTED",
        message: `SQLite keeps ${pragma} at ${String(found)} for ${path}; expected ${wanted}. The file system may not support shared memory; put the journal on a local disk.`,
        facts: { path, pragma, found: String(found), expected: wanted },
      });
    }
  }
}
