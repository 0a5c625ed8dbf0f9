import type { FileStatus } from "@mesh/ffi/fs";
import { type Address, sameStatus } from "./address.ts";
import { perform, type Steps } from "./effects.ts";
import { inspect } from "./inspect.ts";
import { SkillCasError } from "./error.ts";
import { LINKS_MAX, sha256Hex, stageName } from "./layout.ts";
import { type LockPatience, withContentLock } from "./lock.ts";
import { recover } from "./recover.ts";
import { checkRoot, type Outcome, seal } from "./seal.ts";
import { writeStage } from "./stage.ts";

/** A publication, and whether this one made the object or found it. */
export type Publication = { readonly outcome: Outcome; readonly created: boolean };

/** Who publishes: the action that names the stage, and how the bytes are obtained once it is known they are needed. */
export interface PublishOptions {
  readonly actionDigest: string;
  readonly patience: LockPatience;
  /** The bytes, or `load`: they are asked for at most once, under the lock, and only when nothing else will do. */
  readonly body: Uint8Array | "load";
}

/**
 * The whole protocol on one page (design D5, D7).
 *
 *   lock    the content, against every cooperating process
 *   look    is the object there, is our own stage there? Either is finished by recovery; no directory is listed
 *   stage   create · set mode · write · sync the file
 *   seal    link to the object's name, which never replaces anything · sync the directory · unlink the stage
 *   check   read it back through its name: right bytes, private, one link, in the root we opened
 *
 * Only the sync of the file before the link and the sync of the directory after it are needed for durability: a name
 * never becomes visible before its bytes are on the disk, and nothing is reported before the name is.
 */
export function* publish(address: Address, options: PublishOptions): Steps<Publication> {
  return yield* withContentLock(address, options.patience, function* () {
    const found = yield* look(address, options.actionDigest, "absence-is-enough");
    if (found.state !== "absent") {
      return { outcome: found, created: false };
    }
    const bytes = options.body === "load" ? yield* loadBody(address) : options.body;
    const stage = yield* writeStage(address.store, stageName(address.digest, options.actionDigest), bytes);
    const sealed = yield* seal(address, stage, []);
    // Somebody without the lock was faster. What he left is judged like anything else that was there before.
    return sealed === "name-taken"
      ? { outcome: yield* recover(address), created: false }
      : { outcome: sealed, created: sealed.state === "exact" };
  });
}

/** Asks for the body and believes nothing that was not authenticated. */
function* loadBody(address: Address): Steps<Uint8Array> {
  const bytes = yield* perform({ kind: "loadBody" });
  const digest = sha256Hex(bytes);
  if (digest !== address.digest) {
    throw new SkillCasError({
      code: "BODY_REJECTED",
      message: `the body has ${bytes.length} bytes and SHA-256 ${digest}; expected ${address.digest}. Nothing was written`,
      facts: { foundBytes: bytes.length, foundDigest: digest, expectedDigest: address.digest },
    });
  }
  return bytes;
}

/**
 * Looks at the world under the lock and finishes what was begun: how a driver reconciles.
 *
 * @param published - what the same caller's publication ended with. It was durable then, so while nothing about that file
 * has changed it is not synced once more. What was put in its place, moved or written to is another file or has another
 * change time, and is judged as if nobody knew of it.
 */
export function* reconcile(
  address: Address,
  actionDigest: string,
  patience: LockPatience,
  published?: FileStatus,
): Steps<Outcome> {
  return yield* withContentLock(address, patience, function* () {
    const unchanged = published === undefined ? undefined : yield* findUnchanged(address, actionDigest, published);
    return unchanged === undefined ? yield* look(address, actionDigest, "list-before-absent") : unchanged;
  });
}

/** The published object, read back and authenticated, if it is the same file in the same condition and nothing is left to do. */
function* findUnchanged(address: Address, actionDigest: string, published: FileStatus): Steps<Outcome | undefined> {
  const ownStage = yield* perform({ kind: "stat", name: stageName(address.digest, actionDigest) });
  if (ownStage !== undefined) {
    return undefined;
  }
  const object = yield* inspect(address, address.digest, { linksMax: 1, sync: false });
  return object.state === "exact" && sameStatus(object.status, published)
    ? yield* checkRoot(address, object)
    : undefined;
}

/**
 * Finds the object or its absence. The directory is listed only when the links do not add up, when our own stage is
 * there, or when absence has to hold against the stages of every action.
 */
export function* look(
  address: Address,
  actionDigest: string,
  care: "absence-is-enough" | "list-before-absent",
): Steps<Outcome> {
  const ownStage = yield* perform({ kind: "stat", name: stageName(address.digest, actionDigest) });
  if (ownStage !== undefined) {
    return yield* recover(address);
  }
  // Whoever put the object here may not have synced it: it counts as durable only once we have.
  const object = yield* inspect(address, address.digest, { linksMax: LINKS_MAX, sync: true });
  switch (object.state) {
    case "conflict":
      return { state: "conflict", reason: object.reason };
    case "absent":
      return care === "absence-is-enough" ? { state: "absent" } : yield* recover(address);
    case "exact":
      if (object.status.linkCount !== 1) {
        return yield* recover(address);
      }
      yield* perform({ kind: "syncDirectory" });
      return yield* checkRoot(address, object);
  }
}
