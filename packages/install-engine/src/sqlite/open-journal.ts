import type { PinnedDirectory } from "@mesh/ffi/fs";
import { InstallEngineError } from "../error.ts";
import type { JournalHead, JournalStore } from "../journal.ts";
import { type Clock, systemClock } from "../timestamp.ts";
import { verifyBounds } from "./chain-verification.ts";
import { checkpointDigest, readCheckpoint } from "./checkpoint.ts";
import { type Connection, driverLocation } from "./connection.ts";
import { createDatabaseFile } from "./database-file.ts";
import { EMPTY_HEAD } from "./entry-chain.ts";
import { type JournalLocation, openActionLocksDirectory, openJournalLocation } from "./journal-directory.ts";
import { JournalSession } from "./journal-session.ts";
import { type JournalTables, prepareTables } from "./journal-tables.ts";
import { waitForLock } from "./lock-wait.ts";
import { openDatabase } from "./open-database.ts";
import { type ProcessLease, takeProcessLease } from "./process-lease.ts";
import { creationSql } from "./schema.ts";
import { journalFailure } from "./sqlite-failure.ts";
import { SqliteJournalStore } from "./sqlite-journal-store.ts";
import { WriteQueue } from "./write-queue.ts";

/** How to open a journal. */
export interface OpenJournalOptions {
  /**
   * Absolute path of the database file. Its directory must belong to this user with mode 0700 and is made when missing,
   * as is the file. Put it on a local disk.
   */
  readonly path: string;
  /** Opens an existing journal without changing a byte of the database or of its log. False when left out. */
  readonly readOnly?: boolean;
  /** The clock of expiry. The machine's when left out. */
  readonly clock?: Clock;
  /**
   * A head that was kept elsewhere (`journal.head()`): a journal that does not have it any more, such as a restored
   * backup, is refused. One that has grown since is fine.
   */
  readonly expectHead?: JournalHead;
  /** Ends the wait for other processes. */
  readonly signal?: AbortSignal;
}

/** What an open journal holds until it is closed. */
export interface JournalResources {
  readonly path: string;
  readonly clock: Clock;
  readonly session: JournalSession;
  /** What only a journal that may be changed has. */
  readonly writable: { readonly actionLocks: PinnedDirectory } | undefined;
  release(): void;
}

/**
 * Opens the journal of installs, and makes it when there is none (spec section 5, design D8).
 *
 * What it finds is verified first: directory, files, modes, format, schema, checkpoint and every row after the checkpoint;
 * so the cost does not grow with the journal. Nothing is ever repaired, and a file that is refused is not changed.
 *
 * @throws InstallEngineError
 * - JOURNAL_PATH_INVALID, JOURNAL_DIRECTORY_UNSAFE, JOURNAL_FILE_UNSAFE, LOCK_FILE_UNSAFE: path, owner, mode or kind;
 * - JOURNAL_MISSING: read-only, and there is none;
 * - JOURNAL_NOT_A_JOURNAL, JOURNAL_FORMAT_NEWER: an empty or foreign file; a format this version does not know;
 * - JOURNAL_CORRUPT: damage, with the row and the reason;
 * - JOURNAL_HEAD_MISMATCH: `expectHead` is not in this journal;
 * - JOURNAL_BUSY: others kept it locked for `LOCK_WAIT_MS_MAX`;
 * - JOURNAL_OPEN_IN_ANOTHER_COPY: another copy of SQLite has it open in this process;
 * - JOURNAL_RUNTIME_UNSUPPORTED: this Node, C library or file system cannot keep it;
 * - JOURNAL_READ_FAILED: SQLite's own code in the facts.
 * The signal's reason, when it is aborted. `FileSystemError` of `@mesh/ffi` for a system call that failed otherwise.
 */
export async function openJournal(options: OpenJournalOptions): Promise<JournalStore> {
  const readOnly = options.readOnly ?? false;
  const location = openJournalLocation(options.path, { create: !readOnly });
  const queue = new WriteQueue(location);
  const held: (() => void)[] = [
    () => {
      location.directory.close();
    },
    () => {
      queue[Symbol.dispose]();
    },
  ];
  const release = (): void => {
    releaseAll(held);
  };
  try {
    const opened = await queue.exclusive(options, (waitMsMax) =>
      openUnderLock(location, held, { ...options, readOnly, waitMsMax }),
    );
    const { tables, checkpoint } = opened;
    const clock = options.clock ?? systemClock;
    const session = new JournalSession(tables, queue, clock, checkpoint);
    await session.verifyNew(options);
    await session.read(() => {
      assertHead(tables, options.expectHead);
    }, options);
    const writable = readOnly ? undefined : { actionLocks: openActionLocksDirectory(location) };
    if (writable !== undefined) {
      held.push(() => {
        writable.actionLocks.close();
      });
    }
    return new SqliteJournalStore({ path: location.path, clock, session, writable, release });
  } catch (error) {
    try {
      release();
    } catch {
      // What could not be released matters less than why the journal could not be opened.
    }
    throw error;
  }
}

/** Releases in the opposite order of taking, everything, whatever fails; the first failure is thrown at the end. */
function releaseAll(held: (() => void)[]): void {
  const failures: unknown[] = [];
  for (const step of held.splice(0).reverse()) {
    try {
      step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    throw failures[0];
  }
}

interface UnderLock {
  readonly readOnly: boolean;
  readonly waitMsMax: number;
  readonly signal?: AbortSignal;
}

async function openUnderLock(
  location: JournalLocation,
  held: (() => void)[],
  { readOnly, waitMsMax, signal }: UnderLock,
): Promise<{ readonly tables: JournalTables; readonly checkpoint: JournalHead }> {
  if (!readOnly) {
    createDatabaseFile(location, creationSql(checkpointDigest(EMPTY_HEAD)));
  }
  const lease: ProcessLease = takeProcessLease(location, driverLocation());
  held.push(() => {
    lease.release();
  });
  const prepared = await waitForLock(() => prepare(location, held, readOnly), { waitMsMax, signal });
  if (prepared === undefined) {
    throw new InstallEngineError({
      code: "JOURNAL_BUSY",
      message: `The journal ${location.path} could not be opened: others kept it locked for too long. Try again.`,
      facts: { path: location.path },
    });
  }
  return prepared;
}

function prepare(
  location: JournalLocation,
  held: (() => void)[],
  readOnly: boolean,
): { readonly tables: JournalTables; readonly checkpoint: JournalHead } | undefined {
  const connection: Connection | undefined = openDatabase(location, { readOnly });
  if (connection === undefined) {
    return undefined;
  }
  held.push(() => {
    connection.close();
  });
  try {
    const tables = prepareTables(connection, location.path);
    verifyBounds(tables);
    return { tables, checkpoint: readCheckpoint(tables) };
  } catch (error) {
    throw journalFailure(error, location.path, "open");
  }
}

function assertHead({ chain, path }: JournalTables, expected: JournalHead | undefined): void {
  if (expected === undefined || (expected.sequence === 0 && expected.digest === null)) {
    return;
  }
  const found = chain.at(expected.sequence)?.entryDigest ?? null;
  if (found === null || found !== expected.digest) {
    const head = chain.head();
    throw new InstallEngineError({
      code: "JOURNAL_HEAD_MISMATCH",
      message: `The journal ${path} does not have the head that was expected: row ${expected.sequence} is ${found ?? "missing"}, expected ${expected.digest ?? "none"}; its newest row is ${head.sequence}. It lost its newest rows (a restored backup, a lost log) or is another journal. It was not changed.`,
      facts: {
        path,
        sequence: expected.sequence,
        expected: expected.digest,
        found,
        headSequence: head.sequence,
        headDigest: head.digest,
      },
    });
  }
}
