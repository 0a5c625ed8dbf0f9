import type { FileStatus } from "@mesh/ffi/fs";
import type { QuarantineRecord } from "../quarantine.ts";
import type { SweepFinding } from "../sweep.ts";
import { type PutManyResult, WorkerClient } from "../worker/client.ts";
import { batchesOf } from "./batches.ts";
import {
  type ObjectFinding,
  type ObjectStatus,
  toFinding,
  toObjectStatus,
  type VerifyOptions,
} from "./object-status.ts";
import type { PutResult } from "./request.ts";
import type { StoreFacts } from "./session.ts";

/** How a store is opened. */
export interface OpenSkillStoreOptions {
  /** Absolute path of the store's directory: mode 0700, reached without symbolic links, no ancestor writable by others. */
  readonly root: string;
  /** Whether missing directories are made, mode 0700, each synced into its parent. Off by default. */
  readonly create?: boolean;
}

/**
 * A private, crash-safe content-addressed store. Everything runs in one worker thread of its own.
 *
 * Every method rejects with SkillCasError; `STORE_CLOSED` after {@link SkillStore.close}.
 */
export interface SkillStore extends AsyncDisposable {
  /** Path, identity and file system of the store. */
  readonly facts: StoreFacts;
  /**
   * Stores 1 to `OBJECT_BYTES_MAX` bytes under their SHA-256. When it resolves, the object survives a power cut.
   *
   * Rejects with INVALID_ARGUMENT, LOCK_BUSY, LOCK_UNSAFE, OBJECT_CONFLICT (something else stands there: untouched),
   * SYNC_FAILED or EFFECT_FAILED (what is on the disk is unknown to this call; the next one finds out).
   */
  put(bytes: Uint8Array): Promise<PutResult>;
  /**
   * Stores many objects with merged directory syncs: `BATCH_OBJECTS_MAX` at a time share one. Results come in the order
   * of the input; an item that cannot be stored fails alone.
   */
  putMany(items: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterable<PutManyResult>;
  /** The verified bytes of an object. Rejects with OBJECT_MISSING or OBJECT_CONFLICT. */
  read(digest: string): Promise<Uint8Array>;
  /** Whether there is an entry of that name. It is not read: `read` and `verify` say whether it is the object. */
  has(digest: string): Promise<boolean>;
  /** What stands at the name of an object, unread; undefined where nothing does. */
  stat(digest: string): Promise<ObjectStatus | undefined>;
  /** The digests of all objects, in no order. Memory does not grow with their number. */
  list(): AsyncIterable<string>;
  /**
   * Judges every object by its bytes, one finding each. Reports, never repairs, never deletes: an object that a crash left
   * with its stage for a second name is reported as `unexpected-links` until a put or a sweep finishes it. With `device` the bytes
   * come from the device where the file system allows it, and each finding says whether they did.
   */
  verify(options?: VerifyOptions): AsyncIterable<ObjectFinding>;
  /** The findings of {@link SkillStore.verify} that are conflicts. */
  conflicts(): AsyncIterable<Extract<ObjectFinding, { state: "conflict" }>>;
  /**
   * Finishes what crashes left: whole stages are published, broken ones removed, lock files of contents that are not here
   * go. One finding for each content that there was something to do about. Conflicts are reported and stay.
   */
  sweep(): AsyncIterable<SweepFinding>;
  /**
   * Moves what is in conflict with a content into `.mesh-quarantine`, beside a record of who, when, why and what was
   * found: the only way in which a conflict is ever cleared. Rejects with NOTHING_TO_QUARANTINE where all is well.
   */
  quarantine(digest: string, reason: string): Promise<QuarantineRecord>;
  /** Finishes what is running and ends the thread. May be called again. */
  close(): Promise<void>;
}

class WorkerSkillStore implements SkillStore {
  readonly #worker: WorkerClient;

  constructor(worker: WorkerClient) {
    this.#worker = worker;
  }

  get facts(): StoreFacts {
    return this.#worker.facts;
  }

  put(bytes: Uint8Array): Promise<PutResult> {
    return this.#worker.execute({ kind: "put", bytes });
  }

  read(digest: string): Promise<Uint8Array> {
    return this.#worker.execute({ kind: "read", digest });
  }

  async has(digest: string): Promise<boolean> {
    return (await this.#stat(digest)) !== undefined;
  }

  async stat(digest: string): Promise<ObjectStatus | undefined> {
    return toObjectStatus(digest, await this.#stat(digest));
  }

  list(): AsyncIterable<string> {
    return this.#worker.list("objects");
  }

  async *putMany(
    items: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): AsyncGenerator<PutManyResult, void, undefined> {
    for await (const batch of batchesOf(items)) {
      yield* await this.#worker.putBatch(batch);
    }
  }

  async *conflicts(): AsyncGenerator<Extract<ObjectFinding, { state: "conflict" }>, void, undefined> {
    for await (const finding of this.verify()) {
      if (finding.state === "conflict") {
        yield finding;
      }
    }
  }

  async *sweep(): AsyncGenerator<SweepFinding, void, undefined> {
    for await (const digest of this.#worker.list("unfinished")) {
      yield await this.#worker.execute({ kind: "sweep", digest });
    }
  }

  quarantine(digest: string, reason: string): Promise<QuarantineRecord> {
    return this.#worker.execute({ kind: "quarantine", digest, reason });
  }

  async *verify(options?: VerifyOptions): AsyncGenerator<ObjectFinding, void, undefined> {
    for await (const digest of this.#worker.list("objects")) {
      const finding = toFinding(
        digest,
        await this.#worker.execute({ kind: "check", digest, device: options?.device ?? false }),
      );
      if (finding !== undefined) {
        yield finding;
      }
    }
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #stat(digest: string): Promise<FileStatus | undefined> {
    return this.#worker.execute({ kind: "stat", digest });
  }
}

/**
 * Opens a store in a worker thread of its own.
 *
 * Rejects with SkillCasError INVALID_ARGUMENT, ROOT_MISSING, ROOT_UNSAFE (the facts name the directory, what was found
 * and the command that repairs it), ROOT_CHANGED, ROOT_ID_INVALID or FILE_SYSTEM_UNSUPPORTED, before anything changes.
 */
export async function openSkillStore(options: OpenSkillStoreOptions): Promise<SkillStore> {
  return new WorkerSkillStore(await WorkerClient.open({ root: options.root, create: options.create ?? false }));
}
