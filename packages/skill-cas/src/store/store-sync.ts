import { type ObjectFinding, type ObjectStatus, toFinding, toObjectStatus } from "./object-status.ts";
import type { PutResult } from "./request.ts";
import { type StoreFacts, StoreSession } from "./session.ts";
import type { OpenSkillStoreOptions } from "./store.ts";

/**
 * The synchronous twin of `SkillStore`, for start-up code: every method blocks this thread until the disk has answered,
 * and up to `LOCK_WAIT_MS_MAX` while another process holds the lock. Every method throws what the other rejects with.
 */
export class SkillStoreSync {
  readonly #session: StoreSession;

  /** @internal Stores come from {@link openSkillStoreSync}. */
  constructor(session: StoreSession) {
    this.#session = session;
  }

  /** Path, identity and file system of the store. */
  get facts(): StoreFacts {
    return this.#session.facts;
  }

  /** Stores 1 to `OBJECT_BYTES_MAX` bytes under their SHA-256. When it returns, the object survives a power cut. */
  put(bytes: Uint8Array): PutResult {
    return this.#session.executeBlocking({ kind: "put", bytes });
  }

  /** The verified bytes of an object. Throws OBJECT_MISSING or OBJECT_CONFLICT. */
  read(digest: string): Uint8Array {
    return this.#session.executeBlocking({ kind: "read", digest });
  }

  /** Whether there is an entry of that name, unread. */
  has(digest: string): boolean {
    return this.stat(digest) !== undefined;
  }

  /** What stands at the name of an object, unread; undefined where nothing does. */
  stat(digest: string): ObjectStatus | undefined {
    return toObjectStatus(digest, this.#session.executeBlocking({ kind: "stat", digest }));
  }

  /** The digests of all objects, in no order. Memory does not grow with their number. */
  list(): Iterable<string> {
    return this.#session.objects();
  }

  /** Judges every object by its bytes, one finding each. Reports, never repairs, never deletes. */
  *verify(): Generator<ObjectFinding, void, undefined> {
    for (const digest of this.#session.objects()) {
      const finding = toFinding(digest, this.#session.executeBlocking({ kind: "check", digest }));
      if (finding !== undefined) {
        yield finding;
      }
    }
  }

  /** Closes the store. May be called again. */
  close(): void {
    this.#session.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Opens a store on this thread; throws what `openSkillStore` rejects with. */
export function openSkillStoreSync(options: OpenSkillStoreOptions): SkillStoreSync {
  return new SkillStoreSync(StoreSession.open({ root: options.root, create: options.create ?? false }));
}
