import { setImmediate as nextTurn } from "node:timers/promises";
import { InstallEngineError } from "../error.ts";
import type { JournalHead, JournalWaitOptions } from "../journal.ts";
import { LOCK_WAIT_MS_MAX } from "../limits.ts";
import type { Clock } from "../timestamp.ts";
import { Appender } from "./append.ts";
import { verifyChain } from "./chain-verification.ts";
import { writeCheckpoint } from "./checkpoint.ts";
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

/** What a change made, as far as this process has to remember it. */
interface Written<T> {
  readonly value: T;
  readonly head: JournalHead;
  readonly checkpoint: JournalHead;
  readonly othersWrote: boolean;
}

/**
 * One open database with what this process knows of it: up to which row it has verified the chain itself. Every read and
 * every write is one transaction that begins and ends within one turn of the event loop.
 */
export class JournalSession {
  readonly tables: JournalTables;
  readonly rows: VerifiedRows;
  readonly #queue: WriteQueue;
  readonly #clock: Clock;
  #verified: JournalHead;
  #checkpoint: JournalHead;
  /** Whether the last look found rows that somebody else had added: the next one then finds some, too. */
  #othersWrite = true;

  constructor(tables: JournalTables, queue: WriteQueue, clock: Clock, checkpoint: JournalHead) {
    this.tables = tables;
    this.rows = new VerifiedRows(tables);
    this.#queue = queue;
    this.#clock = clock;
    this.#verified = checkpoint;
    this.#checkpoint = checkpoint;
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

  /** Changes the journal in one transaction, after everything that others have added meanwhile was verified. */
  async write<T>(body: (context: WriteContext) => T, options: JournalWaitOptions = {}): Promise<T> {
    const catchUp = (): Promise<void> => this.catchUp(PIECE_ROWS_MAX, options);
    if (this.#othersWrite) {
      // Much of it before the lock, so that it is held for a short time; what comes meanwhile follows under it.
      await catchUp();
    }
    const { connection } = this.tables;
    const written = await this.#queue.transaction(
      {
        connection,
        isPrepared: () => this.#rowsBehind() <= PIECE_ROWS_MAX,
        prepare: catchUp,
        body: () => this.#change(body),
      },
      options,
    );
    if (written.head.sequence > this.#verified.sequence) {
      this.#verified = written.head;
    }
    this.#checkpoint = written.checkpoint;
    this.#othersWrite = written.othersWrote;
    return written.value;
  }

  /** Verifies what others have added, piece by piece, until at most `rowsLeft` rows are not verified. */
  async catchUp(rowsLeft: number, options: JournalWaitOptions): Promise<void> {
    for (;;) {
      const rowsBehind = await this.read(() => this.#verifyPiece(), options);
      if (rowsBehind <= rowsLeft) {
        return;
      }
      await nextTurn();
    }
  }

  /** Verifies one piece and says how many rows are left after it. */
  #verifyPiece(): number {
    const behind = this.#rowsBehind();
    const piece = Math.min(behind, PIECE_ROWS_MAX);
    this.#othersWrite = piece > 0;
    this.#verified = verifyChain(this.tables, this.#verified, this.#verified.sequence + piece);
    return behind - piece;
  }

  #rowsBehind(): number {
    return this.#newestHead().sequence - this.#verified.sequence;
  }

  /** The head, which must be the one that was verified, or come after it: a journal never becomes shorter. */
  #newestHead(): JournalHead {
    const head = this.tables.chain.head();
    const known = this.#verified;
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
    const before = verifyChain(this.tables, this.#verified, this.#newestHead().sequence);
    const appender = new Appender(this.tables, before);
    const now = trustedNow.bind(undefined, this.#clock);
    const value = body({ tables: this.tables, rows: this.rows, appender, now });
    const { head } = appender;
    const due = head.sequence - this.#checkpoint.sequence >= CHECKPOINT_INTERVAL_ROWS && head !== before;
    if (due) {
      writeCheckpoint(this.tables.connection, head);
    }
    const othersWrote = before.sequence > this.#verified.sequence;
    return { value, head, checkpoint: due ? head : this.#checkpoint, othersWrote };
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
