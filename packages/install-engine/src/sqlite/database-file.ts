import { lstatSync } from "node:fs";
import type { PinnedDirectory, PinnedFile } from "@mesh/ffi/fs";
import { InstallEngineError } from "../error.ts";
import { corruption } from "./corruption.ts";
import { databaseBytes } from "./connection.ts";
import type { JournalLocation } from "./journal-directory.ts";
import { FORMAT, creationName, SIDE_FILE_SUFFIXES } from "./layout.ts";
import { PRIVATE_FILE_MODE, SIDE_FILE_ATTEMPTS_MAX } from "./limits.ts";
import { privateFileFault } from "./private-file.ts";

/**
 * Makes the database file when there is none. The caller holds the write lock.
 *
 * The whole new database is written and synced under another name and then linked to its own, so that a file of the
 * journal's name is complete from its first moment: one without content was damaged, never "just being made".
 *
 * @throws InstallEngineError JOURNAL_CORRUPT for a log without its database.
 */
export function createDatabaseFile(location: JournalLocation, sql: string): void {
  const { directory, name } = location;
  const temporary = creationName(name);
  if (directory.stat(temporary) !== undefined) {
    // A creation that a crash cut short, before or after the link. The name we want decides which.
    directory.unlink(temporary);
  }
  if (directory.stat(name) !== undefined) {
    return;
  }
  refuseOrphanLog(location);
  const file = directory.create(temporary);
  try {
    file.setMode(PRIVATE_FILE_MODE);
    writeAll(file, databaseBytes(sql));
    file.sync();
  } finally {
    file.close();
  }
  directory.link(temporary, name);
  directory.unlink(temporary);
  directory.sync();
}

/**
 * A log belongs to the database beside it by its name alone: SQLite would replay the log of a database that was moved
 * away into the new one.
 */
function refuseOrphanLog({ directory, name, path }: JournalLocation): void {
  const log = directory.stat(`${name}-wal`);
  if (log !== undefined && log.size > 0) {
    throw corruption(path, {
      subject: "database file",
      reason: `it is missing, but its log ${path}-wal is there; put the file back, or move the log away with it`,
    });
  }
}

function writeAll(file: PinnedFile, bytes: Uint8Array): void {
  for (let position = 0; position < bytes.byteLength; ) {
    position += file.write(bytes.subarray(position), position);
  }
}

/** A file by its numbers, to see whether a name still leads to it. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/**
 * Checks the database file by its status alone. It is never opened here: closing any descriptor of it would take away the
 * locks that SQLite holds on it elsewhere in this process (POSIX record locks; toolchain 4).
 *
 * @throws InstallEngineError JOURNAL_MISSING, JOURNAL_FILE_UNSAFE, JOURNAL_NOT_A_JOURNAL for an empty file.
 */
export function inspectDatabaseFile({ directory, name, path }: JournalLocation): FileIdentity {
  const status = directory.stat(name);
  if (status === undefined) {
    throw new InstallEngineError({
      code: "JOURNAL_MISSING",
      message: `There is no journal at ${path}. Open it for writing once to make it, or correct the path.`,
      facts: { path },
    });
  }
  const fault = privateFileFault(status);
  if (fault !== undefined) {
    throw unsafeFile(path, fault);
  }
  if (status.size === 0) {
    throw new InstallEngineError({
      code: "JOURNAL_NOT_A_JOURNAL",
      message: `${path} is empty; expected a journal of format ${FORMAT}, which never is. It was damaged or put there by something else, and is left as it is. Restore it from a backup, or move it away to begin a new journal.`,
      facts: { path, found: "an empty file", expected: FORMAT },
    });
  }
  return { device: status.device, inode: status.inode };
}

/**
 * Checks the write-ahead log and its index. SQLite follows whatever these names lead to, so they are looked at first.
 *
 * @throws InstallEngineError JOURNAL_FILE_UNSAFE.
 */
export function inspectSideFiles({ directory, name, path }: JournalLocation): void {
  for (const suffix of SIDE_FILE_SUFFIXES) {
    const status = settledStatus(directory, `${name}${suffix}`);
    const fault = status === undefined ? undefined : privateFileFault(status);
    if (fault !== undefined) {
      throw unsafeFile(`${path}${suffix}`, fault);
    }
  }
}

/** A side file may be between its last link and its end when another process closes: it is looked at until it holds still. */
function settledStatus(directory: PinnedDirectory, name: string): ReturnType<PinnedDirectory["stat"]> {
  let status = directory.stat(name);
  for (let attempt = 1; attempt < SIDE_FILE_ATTEMPTS_MAX && status !== undefined; attempt += 1) {
    const again = directory.stat(name);
    if (again?.inode === status.inode && again.device === status.device) {
      return again;
    }
    status = again;
  }
  return status;
}

/** Proves that SQLite opened, by path, the file that was checked, and not one that was put in its place meanwhile. */
export function assertSameDatabaseFile({ path }: JournalLocation, checked: FileIdentity): void {
  // By path, as SQLite did: the pinned directory would still show the old file after the directory itself was exchanged.
  const status = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (status?.ino !== checked.inode || status.dev !== checked.device) {
    throw unsafeFile(path, "it was replaced while it was being opened");
  }
}

function unsafeFile(path: string, fault: string): InstallEngineError {
  return new InstallEngineError({
    code: "JOURNAL_FILE_UNSAFE",
    message: `The journal file ${path} cannot be used: ${fault}. Expected a regular file of this user with one link and mode 0600 (chmod 600 ${path}).`,
    facts: { path, fault },
  });
}
