import type { FileStatus } from "@mesh/ffi/fs";
import { type Address, sameFile } from "./address.ts";
import type { Steps } from "./effects.ts";
import { perform } from "./effects.ts";
import { SkillCasError } from "./error.ts";
import { type Inspection, inspect } from "./inspect.ts";
import { PUT_ACTION_DIGEST } from "./layout.ts";
import { withContentLock } from "./lock.ts";
import { reconcile } from "./publish.ts";
import { type Conflict, conflict, conflictError } from "./reason.ts";
import type { Outcome } from "./seal.ts";

const AT_REST = { linksMax: 1, sync: false };

/**
 * Reads an object: judged once, then read a second time independently and bound to the file found first (spec 9.4). The
 * second bytes are the answer.
 *
 * @throws SkillCasError OBJECT_MISSING, OBJECT_CONFLICT
 */
export function* readObject(address: Address): Steps<Uint8Array> {
  const first = yield* findObject(address);
  const seen = yield* inspect(address, address.digest, AT_REST);
  // A sweep that begins meanwhile gives a finished object a second link for a moment.
  const second = seen.state === "conflict" && mayBePublishing(seen.reason) ? yield* finish(address) : seen;
  if (second.state === "exact" && sameFile(first, second.status)) {
    return second.bytes;
  }
  throw conflictError(
    second.state === "conflict"
      ? second.reason
      : conflict("changed-while-read", address.digest, second.state, "the same file twice"),
  );
}

/**
 * Judges one object without changing anything: what `verify` does with each. What may be somebody at work is judged again
 * under the content lock; where that cannot be had, the first look stands.
 */
export function* checkObject(address: Address, device: boolean): Steps<Inspection> {
  const look = (): Steps<Inspection> => inspect(address, address.digest, { ...AT_REST, device });
  const seen = yield* look();
  if (seen.state !== "conflict" || !mayBePublishing(seen.reason)) {
    return seen;
  }
  try {
    return yield* withContentLock(address, "wait", look);
  } catch (error) {
    if (error instanceof SkillCasError && (error.code === "LOCK_BUSY" || error.code === "LOCK_UNSAFE")) {
      return seen;
    }
    throw error;
  }
}

/** What stands at the name of an object, without reading it. */
export function* statObject(address: Address): Steps<FileStatus | undefined> {
  return yield* perform({ kind: "stat", name: address.digest });
}

function* findObject(address: Address): Steps<FileStatus> {
  const seen = yield* inspect(address, address.digest, AT_REST);
  const found = seen.state === "conflict" && mayBePublishing(seen.reason) ? yield* finish(address) : seen;
  switch (found.state) {
    case "exact":
      return found.status;
    case "absent":
      throw new SkillCasError({
        code: "OBJECT_MISSING",
        message: `${address.digest}: there is no such object in this store; put it first`,
        facts: { digest: address.digest },
      });
    case "conflict":
      throw conflictError(found.reason);
  }
}

/** A publisher at work, or one that was killed, shows as a second link or a changing file. Under the lock it is known. */
function mayBePublishing(reason: Conflict): boolean {
  return reason.code === "unexpected-links" || reason.code === "changed-while-read";
}

function* finish(address: Address): Steps<Outcome> {
  return yield* reconcile(address, PUT_ACTION_DIGEST, "wait");
}
