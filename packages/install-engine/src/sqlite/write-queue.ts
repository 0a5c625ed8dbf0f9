import { setTimeout as pause } from "node:timers/promises";
import { InstallEngineError } from "../error.ts";
import { LOCK_WAIT_MS_MAX } from "../limits.ts";
import { type Connection, isBusy } from "./connection.ts";
import type { FileLock } from "./file-lock.ts";
import type { JournalLocation } from "./journal-directory.ts";
import { type LockWaitOptions, waitForLock } from "./lock-wait.ts";
import { journalFailure } from "./sqlite-failure.ts";
import { WriteLock } from "./write-lock.ts";

/** What a write may be given. */
export interface WriteOptions {
  readonly signal?: AbortSignal | undefined;
}

/** One change of the database. */
export interface Transaction<T> {
  readonly connection: Connection;
  /** Asked inside the transaction: whether the body can run at once. If not, the transaction ends and changes nothing. */
  readonly isPrepared: () => boolean;
  /** Runs then, outside of any transaction, while no cooperating process can write. */
  readonly prepare: () => Promise<void>;
  /** Runs inside it, perhaps more than once: it has to leave memory alone and return what changed. */
  readonly body: () => T;
}

/**
 * Runs write transactions one after the other, in the order in which they were asked for.
 *
 * Three locks, each for what the next cannot see: this queue for the writes of one store, a flock for other threads,
 * copies and processes of this package, and SQLite's own lock for everybody else. Only waiting is asynchronous: a
 * transaction begins, runs and commits in one go, so the event loop is held for one commit and no other code of this
 * thread ever runs inside a transaction.
 */
export class WriteQueue implements Disposable {
  readonly #path: string;
  readonly #lock: WriteLock;
  #last: Promise<void> = Promise.resolve();
  /** Writes that have not ended their turn. */
  #turns = 0;

  constructor(location: JournalLocation) {
    this.#path = location.path;
    this.#lock = new WriteLock(location);
  }

  /** Closes the lock file; nothing may be in the queue. */
  [Symbol.dispose](): void {
    this.#lock[Symbol.dispose]();
  }

  /**
   * Runs one transaction.
   *
   * @throws InstallEngineError JOURNAL_BUSY after `LOCK_WAIT_MS_MAX`, JOURNAL_WRITE_FAILED, JOURNAL_CORRUPT; the
   * signal's reason. Nothing was written then.
   */
  async transaction<T>({ connection, isPrepared, prepare, body }: Transaction<T>, options: WriteOptions): Promise<T> {
    return this.exclusive(options, async (waitMsMax) => {
      const wait = { waitMsMax, signal: options.signal };
      const whenPrepared = (): { readonly value: T } | "unprepared" =>
        isPrepared() ? { value: body() } : "unprepared";
      const first = await this.#run(connection, whenPrepared, wait);
      if (first !== "unprepared") {
        return first.value;
      }
      await prepare();
      return await this.#run(connection, body, wait);
    });
  }

  /** One transaction, as soon as SQLite's own lock is free. */
  async #run<T>(connection: Connection, body: () => T, wait: LockWaitOptions): Promise<T> {
    const done = await waitForLock(() => this.#attempt(connection, body), wait);
    if (done === undefined) {
      throw this.#busy();
    }
    return done.value;
  }

  /** Runs `body` while no other write of any cooperating process can run, without a transaction. */
  async exclusive<T>(options: WriteOptions, body: (waitMsLeft: number) => T | Promise<T>): Promise<T> {
    options.signal?.throwIfAborted();
    const deadline = performance.now() + LOCK_WAIT_MS_MAX;
    const waitMsLeft = (): number => Math.max(0, deadline - performance.now());
    const previous = this.#last;
    const first = this.#turns === 0;
    let endTurn: () => void = () => undefined;
    this.#last = new Promise((resolve) => {
      // Whoever gives up while waiting must not let the next one pass those before it.
      endTurn = () => {
        resolve(previous);
      };
    });
    this.#turns += 1;
    try {
      if (!first) {
        await this.#turnAfter(previous, waitMsLeft(), options.signal);
      }
      const lock = await this.#flock(waitMsLeft(), options.signal);
      try {
        return await body(waitMsLeft());
      } finally {
        lock.release();
      }
    } finally {
      this.#turns -= 1;
      endTurn();
    }
  }

  async #turnAfter(previous: Promise<void>, waitMsMax: number, signal: AbortSignal | undefined): Promise<void> {
    const stop = new AbortController();
    const signals = signal === undefined ? [stop.signal] : [signal, stop.signal];
    try {
      const timeout = pause(waitMsMax, "timeout" as const, { signal: AbortSignal.any(signals) });
      if ((await Promise.race([previous, timeout])) === "timeout") {
        throw this.#busy();
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      stop.abort();
    }
  }

  async #flock(waitMsMax: number, signal: AbortSignal | undefined): Promise<FileLock> {
    const lock = await this.#lock.acquire({ waitMsMax, signal });
    if (lock === undefined) {
      throw this.#busy();
    }
    return lock;
  }

  /** Undefined when another process holds SQLite's write lock: nothing was written then. */
  #attempt<T>(connection: Connection, body: () => T): { readonly value: T } | undefined {
    try {
      connection.exec("BEGIN IMMEDIATE");
      const value = body();
      connection.exec("COMMIT");
      return { value };
    } catch (error) {
      if (connection.inTransaction) {
        connection.exec("ROLLBACK");
      }
      if (isBusy(error)) {
        return undefined;
      }
      throw journalFailure(error, this.#path, "write");
    }
  }

  #busy(): InstallEngineError {
    return new InstallEngineError({
      code: "JOURNAL_BUSY",
      message: `The write lock of the journal ${this.#path} was held by others for ${LOCK_WAIT_MS_MAX} ms. Nothing was written; try again.`,
      facts: { path: this.#path, waitMsMax: LOCK_WAIT_MS_MAX },
    });
  }
}
