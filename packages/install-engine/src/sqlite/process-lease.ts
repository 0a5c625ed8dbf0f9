import { randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import type { PinnedDirectory, PinnedFile } from "@mesh/ffi/fs";
import { InstallEngineError } from "../error.ts";
import type { JournalLocation } from "./journal-directory.ts";
import { leasePrefix } from "./layout.ts";
import { LEASE_BYTES_MAX, PRIVATE_FILE_MODE } from "./limits.ts";

/** Says, as long as it is held, which copy of SQLite in which process has the journal open. */
export interface ProcessLease {
  release(): void;
}

/**
 * Refuses a second copy of SQLite on one journal in one process, and notes ours for those that come later. The caller
 * holds the write lock.
 *
 * SQLite's locks are POSIX record locks: they belong to the process. Two copies of SQLite do not see each other there,
 * and the first to close removes the log under the other one's feet: its later commits are lost without an error.
 * On one thread the copies share a driver (`connection.ts`); across threads nothing in JavaScript is shared, but a flock
 * belongs to an open file, so a locked file with the driver's folder in it tells.
 *
 * @param driverLocation the folder of our driver.
 * @throws InstallEngineError JOURNAL_OPEN_IN_ANOTHER_COPY, both folders in its facts.
 */
export function takeProcessLease({ directory, name, path }: JournalLocation, driverLocation: string): ProcessLease {
  const prefix = leasePrefix(name);
  const ours = `${prefix}${processToken()}-`;
  for (const entry of leaseNames(directory, prefix)) {
    const holder = leaseHolder(directory, entry);
    if (holder !== undefined && entry.startsWith(ours) && holder !== driverLocation) {
      throw new InstallEngineError({
        code: "JOURNAL_OPEN_IN_ANOTHER_COPY",
        message: `The journal ${path} is open in this process through the SQLite of ${holder}; a second one, ${driverLocation}, would not see its locks. Install one copy of better-sqlite3, or close the journal there first.`,
        facts: { path, found: holder, expected: driverLocation },
      });
    }
  }
  return makeLease(directory, `${ours}${randomBytes(8).toString("hex")}`, driverLocation);
}

/** A process number is one only within its namespace: two containers may share a directory and both be process 1. */
function processToken(): string {
  let namespace = "0";
  try {
    namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    // There is no such link outside Linux, and no such namespaces either.
  }
  return `${namespace}-${process.pid}`;
}

/** Collected before the first is looked at, since looking removes the ones whose process is gone. */
function leaseNames(directory: PinnedDirectory, prefix: string): string[] {
  const names: string[] = [];
  for (const entry of directory.entries()) {
    if (entry.kind === "name" && entry.name.startsWith(prefix)) {
      names.push(entry.name);
    }
  }
  return names;
}

/** The driver's folder that a held lease names; undefined for a lease that nobody holds, which is removed. */
function leaseHolder(directory: PinnedDirectory, name: string): string | undefined {
  let file: PinnedFile;
  try {
    file = directory.open(name);
  } catch (error) {
    // Whoever closes the journal removes the lease without the write lock.
    if (directory.stat(name) === undefined) {
      return undefined;
    }
    throw error;
  }
  try {
    if (file.tryLock()) {
      removeIfThere(directory, name);
      return undefined;
    }
    const buffer = Buffer.alloc(LEASE_BYTES_MAX);
    return buffer.toString("utf8", 0, file.read(buffer, 0));
  } finally {
    file.close();
  }
}

function makeLease(directory: PinnedDirectory, name: string, driverLocation: string): ProcessLease {
  const file = directory.create(name);
  try {
    file.setMode(PRIVATE_FILE_MODE);
    file.write(Buffer.from(driverLocation), 0);
    if (!file.tryLock()) {
      throw new Error(`the file ${name}, made a moment ago under a random name, is locked by somebody else`);
    }
  } catch (error) {
    directory.unlink(name);
    file.close();
    throw error;
  }
  return {
    release: () => {
      try {
        removeIfThere(directory, name);
      } finally {
        file.close();
      }
    },
  };
}

/** Somebody may have removed the journal's whole directory: then there is nothing to say any more, and no failure. */
function removeIfThere(directory: PinnedDirectory, name: string): void {
  try {
    directory.unlink(name);
  } catch (error) {
    if (directory.stat(name) !== undefined) {
      throw error;
    }
  }
}
