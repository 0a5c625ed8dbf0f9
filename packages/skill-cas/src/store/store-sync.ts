import type { QuarantineRecord } from "../quarantine.ts";
import type { SweepFinding } from "../sweep.ts";
import {
  type ObjectFinding,
  type ObjectStatus,
  toFinding,
  toObjectStatus,
  type VerifyOptions,
} from "./object-status.ts";
import type { PutResult } from "./request.ts";
import { type StoreFacts, StoreSession } from "./session.ts";
import type { OpenSkillStoreOptions } from "./store.ts";

/**
 * The synchronous twin of `SkillStore`, for start-up code: every method blocks this thread until the disk has answered,
 * and up to `LOCK_WAIT_MS_MAX` while another process holds the lock. Every method throws what the other rejects with.
 */
export interface SkillStoreSync extends Disposable {
  /** Path, identity and file system of the store. */
  readonly facts: StoreFacts;
  /** Stores 1 to `OBJECT_BYTES_MAX` bytes under their SHA-256. When it returns, the object survives a power cut. */
  put(bytes: Uint8Array): PutResult;
  /** The verified bytes of an object. Throws OBJECT_MISSING or OBJECT_CONFLICT. */
  read(digest: string): Uint8Array;
  /** Whether there is an entry of that name, unread. */
  has(digest: string): boolean;
  /** What stands at the name of an object, unread; undefined where nothing does. */
  stat(digest: string): ObjectStatus | undefined;
  /** The digests of all objects, in no order. Memory does not grow with their number. */
  list(): Iterable<string>;
  /** Judges every object by its bytes, one finding each, read from the device if so asked. Reports, never repairs. */
  verify(options?: VerifyOptions): Iterable<ObjectFinding>;
  /** Finishes what crashes left; one finding for each content that there was something to do about. */
  sweep(): Iterable<SweepFinding>;
  /** Moves what is in conflict with a content into `.mesh-quarantine`, beside a record. */
  quarantine(digest: string, reason: string): QuarantineRecord;
  /** Closes the store. May be called again. */
  close(): void;
}

class SessionSkillStore implements SkillStoreSync {
  readonly #session: StoreSession;

  constructor(session: StoreSession) {
    this.#session = session;
  }

  get facts(): StoreFacts {
    return this.#session.facts;
  }

  put(bytes: Uint8Array): PutResult {
    return this.#session.executeBlocking({ kind: "put", bytes });
  }

  read(digest: string): Uint8Array {
    return this.#session.executeBlocking({ kind: "read", digest });
  }

  has(digest: string): boolean {
    return this.stat(digest) !== undefined;
  }

  stat(digest: string): ObjectStatus | undefined {
    return toObjectStatus(digest, this.#session.executeBlocking({ kind: "stat", digest }));
  }

  list(): Iterable<string> {
    return this.#session.objects();
  }

  *sweep(): Generator<SweepFinding, void, undefined> {
    for (const digest of this.#session.unfinished()) {
      yield this.#session.executeBlocking({ kind: "sweep", digest });
    }
  }

  quarantine(digest: string, reason: string): QuarantineRecord {
    return this.#session.executeBlocking({ kind: "quarantine", digest, reason });
  }

  *verify(options?: VerifyOptions): Generator<ObjectFinding, void, undefined> {
    const device = options?.device ?? false;
    for (const digest of this.#session.objects()) {
      const finding = toFinding(digest, this.#session.executeBlocking({ kind: "check", digest, device }));
      if (finding !== undefined) {
        yield finding;
      }
    }
  }

  close(): void {
    this.#session.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Opens a store on this thread; throws what `openSkillStore` rejects with. */
export function openSkillStoreSync(options: OpenSkillStoreOptions): SkillStoreSync {
  return new SessionSkillStore(StoreSession.open({ root: options.root, create: options.create ?? false }));
}
