import { setImmediate as nextTurn } from "node:timers/promises";
import { InstallEngineError } from "../error.ts";
import type { JournalHead, JournalWaitOptions } from "../journal.ts";
import { LOCK_WAIT_MS_MAX } from "../limits.ts";
import type { Clock } from "../timestamp.ts";
import { Appender } from "./append.ts";
import { followLinks, verifyChain } from "./chain-verification.ts";
import { readCheckpoint, writeCheckpoint } from "./checkpoint.ts";
import { isBusy } from "./connection.ts";
import { corruption } from "./corruption.ts";
import type { JournalTables } from "./journal-tables.ts";
import { CHECKPOINT_INTERVAL_ROWS, PIECE_ROWS_MAX } from "./limits.ts";
import { waitForLock } from "./lock-wait.ts";
import { journalFailure } from "./sqlite-failure.ts";
import { trustedNow } from "./trusted-clock.ts";
import { VerifiedRows } from "./verified-rows.ts";
import type { WriteContext } from "./write-context.ts";
import type { WriteQueue } from "./write-queue.ts";

/**
 * What one process knows of the rows of its journal, each part reaching at most as far as the one before it. Others may
 * have added more; what a read or a write uses of it is verified when it is used.
 */
interface Knowledge {
  /** Up to here the links of the chain were followed: no later journal may lack this one. */
  readonly linked: JournalHead;
  /** Up to here this process read every row, made it itself, or found a checkpoint that vouches for it. */
  readonly verified: JournalHead;
  /** The newest checkpoint that this process has seen. */
  readonly checkpoint: JournalHead;
}

/** What a change made, and what this process knows once it is durable. */
interface Written<T> {
  readonly value: T;
  readonly knowledge: Knowledge;
}

/**
 * One open database with what this process knows of it. Every read and every write is one transaction that begins and ends
 * within one turn of the event loop.
 *
 * A write follows the links that others have added and reads none of their rows: among many processes each row would be
 * read by all. Who moves the checkpoint reads every row since the last one, so each row is read in full by one process.
 */
export class JournalSession {
  readonly tables: JournalTables;
  readonly rows: VerifiedRows;
  readonly #queue: WriteQueue;
  readonly #clock: Clock;
  #known: Knowledge;

  constructor(tables: JournalTables, queue: WriteQueue, clock: Clock, checkpoint: JournalHead) {
    this.tables = tables;
    this.rows = new VerifiedRows(tables);
    this.#queue = queue;
    this.#clock = clock;
    this.#known = { linked: checkpoint, verified: checkpoint, checkpoint };
  }

  /**
   * Reads in one snapshot. SQLite refuses a reader only while another process recovers or resets the log; then it waits.
   *
   * @throws InstallEngineError JOURNAL_BUSY, JOURNAL_READ_FAILED, JOURNAL_CORRUPT.
   */
  async read<T>(body: (rows: VerifiedRows, tables: JournalTables) => T, options: JournalWaitOptions = {}): Promise<T> {
    const done = await waitForLock(() => this.#attemptRead(body), {
      waitMsMax: LOCK_WAIT_MS_MAX,
      signal: options.signal,
    });
    if (done === undefined) {
      throw new InstallEngineError({
        code: "JOURNAL_BUSY",
        message: `The journal ${this.tables.path} could not be read for ${LOCK_WAIT_MS_MAX} ms: others keep it locked. Try again.`,
        facts: { path: this.tables.path, waitMsMax: LOCK_WAIT_MS_MAX },
      });
    }
    return done.value;
  }

  /** Changes the journal in one transaction, after the links that others have added meanwhile were followed. */
  async write<T>(body: (context: WriteContext) => T, options: JournalWaitOptions = {}): Promise<T> {
    const written = await this.#queue.transaction(
      {
        connection: this.tables.connection,
        isPrepared: () => this.#linksBehind() <= PIECE_ROWS_MAX,
        prepare: () => this.#inPieces(() => this.#followPiece(), options),
        body: () => this.#change(body),
      },
      options,
    );
    if (written.knowledge.linked.sequence >= this.#known.linked.sequence) {
      this.#known = written.knowledge;
    }
    return written.value;
  }

  /** Verifies every row after the checkpoint, piece by piece. */
  async verifyNew(options: JournalWaitOptions): Promise<void> {
    await this.#inPieces(() => this.#verifyPiece(), options);
  }

  /** Gives the event loop back between two pieces. Each piece says how many rows are left after it. */
  async #inPieces(piece: () => number, options: JournalWaitOptions): Promise<void> {
    while ((await this.read(piece, options)) > 0) {
      await nextTurn();
    }
  }

  #followPiece(): number {
    const behind = this.#linksBehind();
    const { linked } = this.#known;
    const followed = followLinks(this.tables, linked, linked.sequence + Math.min(behind, PIECE_ROWS_MAX));
    this.#known = { ...this.#known, linked: followed };
    return behind - (followed.sequence - linked.sequence);
  }

  #verifyPiece(): number {
    const head = this.#newestHead();
    const { verified, linked } = this.#known;
    const last = Math.min(head.sequence, verified.sequence + PIECE_ROWS_MAX);
    const read = verifyChain(this.tables, verified, last);
    this.#known = { ...this.#known, verified: read, linked: newer(read, linked) };
    return head.sequence - last;
  }

  #linksBehind(): number {
    return this.#newestHead().sequence - this.#known.linked.sequence;
  }

  /** The head, which must be the one that was verified, or come after it: a journal never becomes shorter. */
  #newestHead(): JournalHead {
    const head = this.tables.chain.head();
    const known = this.#known.linked;
    const there = head.sequence < known.sequence ? undefined : this.tables.chain.at(known.sequence);
    if ((there?.entryDigest ?? null) !== known.digest) {
      throw corruption(this.tables.path, {
        subject: "link of the chain that was verified before",
        reason: "it is gone or another one: the file was replaced or lost its newest rows while it was open",
        sequence: known.sequence,
      });
    }
    return head;
  }

  #change<T>(body: (context: WriteContext) => T): Written<T> {
    const before = followLinks(this.tables, this.#known.linked, this.#newestHead().sequence);
    const appender = new Appender(this.tables, before);
    const now = trustedNow.bind(undefined, this.#clock);
    const value = body({ tables: this.tables, rows: this.rows, appender, now });
    return { value, knowledge: this.#knowledgeAfter(before, appender.head) };
  }

  /** Moves the checkpoint when it is due. Rows that this process has just added were compared with what was to be kept. */
  #knowledgeAfter(before: JournalHead, head: JournalHead): Knowledge {
    const { verified, checkpoint } = this.#known;
    const known = { linked: head, verified: verified.sequence === before.sequence ? head : verified, checkpoint };
    if (head === before || head.sequence - checkpoint.sequence < CHECKPOINT_INTERVAL_ROWS) {
      return known;
    }
    const found = readCheckpoint(this.tables);
    if (head.sequence - found.sequence < CHECKPOINT_INTERVAL_ROWS) {
      return { linked: head, verified: newer(known.verified, found), checkpoint: found };
    }
    verifyChain(this.tables, newer(verified, found), before.sequence);
    writeCheckpoint(this.tables.connection, head);
    return { linked: head, verified: head, checkpoint: head };
  }

  #attemptRead<T>(body: (rows: VerifiedRows, tables: JournalTables) => T): { readonly value: T } | undefined {
    const { connection, path } = this.tables;
    try {
      connection.exec("BEGIN");
      const value = body(this.rows, this.tables);
      connection.exec("COMMIT");
      return { value };
    } catch (error) {
      if (connection.inTransaction) {
        connection.exec("ROLLBACK");
      }
      if (isBusy(error)) {
        return undefined;
      }
      throw journalFailure(error, path, "read");
    }
  }
}

function newer(one: JournalHead, other: JournalHead): JournalHead {
  return one.sequence >= other.sequence ? one : other;
}
