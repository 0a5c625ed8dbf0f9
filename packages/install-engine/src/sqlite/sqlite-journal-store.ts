import { setImmediate as nextTurn } from "node:timers/promises";
import { InstallEngineError } from "../error.ts";
import { checkClaimRequest, checkCommitRequest, checkPage } from "../journal/request-check.ts";
import type { InstallClaim, JournalRecord } from "../journal/rows.ts";
import type {
  ActionKey,
  ClaimRequest,
  ClaimResult,
  CommitRequest,
  CommitResult,
  InstallExecutionStatus,
  JournalHead,
  JournalStore,
  JournalVerification,
  JournalWaitOptions,
  OutcomeRequest,
  OutcomeResult,
  PageOptions,
  StreamSnapshot,
} from "../journal.ts";
import type { Timestamp } from "../timestamp.ts";
import type { StreamId } from "../types/scope.ts";
import { acquireActionLock } from "./action-lock.ts";
import { claim } from "./claim.ts";
import { commit } from "./commit.ts";
import { executionStatus } from "./execution-status.ts";
import { verifyEverything } from "./full-verification.ts";
import type { JournalSession } from "./journal-session.ts";
import type { JournalResources } from "./open-journal.ts";
import { recordOutcome } from "./outcome.ts";
import { replay } from "./replay.ts";
import { snapshotOf } from "./snapshot.ts";
import { trustedNow } from "./trusted-clock.ts";
import type { WriteContext } from "./write-context.ts";

/** The journal in SQLite: every method of the port, over one session. */
export class SqliteJournalStore implements JournalStore {
  readonly #resources: JournalResources;
  readonly #running = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(resources: JournalResources) {
    this.#resources = resources;
  }

  async commit(request: CommitRequest, options?: JournalWaitOptions): Promise<CommitResult> {
    return this.#write(
      (context) => commit(context, request),
      options,
      () => {
        checkCommitRequest(request);
      },
    );
  }

  async claim(request: ClaimRequest, options?: JournalWaitOptions): Promise<ClaimResult> {
    return this.#write(
      (context) => claim(context, request),
      options,
      () => {
        checkClaimRequest(request);
      },
    );
  }

  async recordOutcome(request: OutcomeRequest, options?: JournalWaitOptions): Promise<OutcomeResult> {
    return this.#write((context) => recordOutcome(context, request), options);
  }

  async status(key: ActionKey, options?: JournalWaitOptions): Promise<InstallExecutionStatus> {
    return this.#run((session) => session.read((rows, tables) => executionStatus(rows, tables, key), options));
  }

  async snapshot(streamKey: string, options?: JournalWaitOptions): Promise<StreamSnapshot | null> {
    return this.#run((session) =>
      session.read((rows) => {
        const newest = rows.newestRecord(streamKey);
        return newest === undefined ? null : snapshotOf(newest);
      }, options),
    );
  }

  async record(streamKey: string, revision: number, options?: JournalWaitOptions): Promise<JournalRecord | null> {
    return this.#run((session) => session.read((rows) => rows.recordAt(streamKey, revision) ?? null, options));
  }

  replay(streamKey: string, options?: JournalWaitOptions): AsyncIterable<JournalRecord> {
    return replay((body) => this.#run((session) => session.read(body, options)), streamKey);
  }

  async streams(filter: Partial<StreamId>, page: PageOptions<string>): Promise<readonly StreamSnapshot[]> {
    checkPage(page);
    return this.#run((session) =>
      session.read((rows, tables) => {
        const keys = tables.streams.page(filter, page.after ?? "", page.limit).map((row) => row.streamKey);
        return keys
          .map((key) => rows.newestRecord(key))
          .filter((record) => record !== undefined)
          .map(snapshotOf);
      }, page),
    );
  }

  async unsettledClaims(page: PageOptions<ActionKey>): Promise<readonly InstallClaim[]> {
    checkPage(page);
    return this.#run((session) =>
      session.read((rows, tables) => {
        const keys = tables.unsettled.page(page.after, page.limit);
        return keys.map((key) => rows.claim(key)).filter((found) => found !== undefined);
      }, page),
    );
  }

  async now(): Promise<Timestamp> {
    return this.#run(() => Promise.resolve(trustedNow(this.#resources.clock)));
  }

  async withActionLock<Result>(
    key: ActionKey,
    body: () => Promise<Result>,
    options: JournalWaitOptions = {},
  ): Promise<Result> {
    return this.#run(async () => {
      const lock = await acquireActionLock(this.#writable().actionLocks, key, options);
      try {
        return await body();
      } finally {
        lock.release();
      }
    });
  }

  async head(options?: JournalWaitOptions): Promise<JournalHead> {
    return this.#run((session) => session.read((_rows, tables) => tables.chain.head(), options));
  }

  async verify(options?: JournalWaitOptions): Promise<JournalVerification> {
    return this.#run(async (session) => {
      const head = await session.read((_rows, tables) => tables.chain.head(), options);
      const pieces = verifyEverything(session.tables, head);
      for (;;) {
        const piece = await session.read(() => pieces.next(), options);
        if (piece.done === true) {
          return piece.value;
        }
        await nextTurn();
        options?.signal?.throwIfAborted();
      }
    });
  }

  async close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running);
    this.#resources.release();
  }

  async #write<T>(
    body: (context: WriteContext) => T,
    options: JournalWaitOptions | undefined,
    check: () => void = () => undefined,
  ): Promise<T> {
    return this.#run(async (session) => {
      this.#writable();
      check();
      return session.write(body, options);
    });
  }

  /** Every call goes through here, so that closing can wait for those that run. */
  async #run<T>(call: (session: JournalSession) => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) {
      throw new InstallEngineError({
        code: "JOURNAL_CLOSED",
        message: `The journal ${this.#resources.path} was closed. Open it again.`,
        facts: { path: this.#resources.path },
      });
    }
    const running = call(this.#resources.session);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  #writable(): NonNullable<JournalResources["writable"]> {
    const { writable, path } = this.#resources;
    if (writable === undefined) {
      throw new InstallEngineError({
        code: "JOURNAL_READ_ONLY",
        message: `The journal ${path} was opened read-only; open it for writing to change it or to take locks.`,
        facts: { path },
      });
    }
    return writable;
  }
}
