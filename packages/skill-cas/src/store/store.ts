import type { FileStatus } from "@mesh/ffi/fs";
import { WorkerClient } from "../worker/client.ts";
import { type ObjectFinding, type ObjectStatus, toFinding, toObjectStatus } from "./object-status.ts";
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
  /** The verified bytes of an object. Rejects with OBJECT_MISSING or OBJECT_CONFLICT. */
  read(digest: string): Promise<Uint8Array>;
  /** Whether there is an entry of that name. It is not read: `read` and `verify` say whether it is the object. */
  has(digest: string): Promise<boolean>;
  /** What stands at the name of an object, unread; undefined where nothing does. */
  stat(digest: string): Promise<ObjectStatus | undefined>;
  /** The digests of all objects, in no order. Memory does not grow with their number. */
  list(): AsyncIterable<string>;
  /** Judges every object by its bytes, one finding each. Reports, never repairs, never deletes. */
  verify(): AsyncIterable<ObjectFinding>;
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
    return this.#worker.objects();
  }

  async *verify(): AsyncGenerator<ObjectFinding, void, undefined> {
    for await (const digest of this.#worker.objects()) {
      const finding = toFinding(digest, await this.#worker.execute({ kind: "check", digest }));
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
