import { type Address, type FileIdentity, sameFile, type StoreIdentity } from "./address.ts";
import { perform, type Steps } from "./effects.ts";
import { errnoOf, type Facts, SkillCasError, type SkillCasErrorCode } from "./error.ts";
import { isRemovable } from "./inspect.ts";
import { lockName } from "./layout.ts";
import { findUnsafeLock, withContentLock } from "./lock.ts";
import { recover } from "./recover.ts";
import type { Outcome } from "./seal.ts";

/**
 * What a sweep did about one content. `busy`: somebody is at work there, which is as good as swept. `failed`: a step on the
 * disk failed, and the content is as a crash would leave it.
 */
export type SweepFinding =
  | Swept
  | {
      readonly digest: string;
      readonly state: "failed";
      readonly code: SkillCasErrorCode;
      readonly message: string;
      readonly facts: Facts;
    };

/** What became of a content that was swept. */
export type Swept =
  | { readonly digest: string; readonly state: "busy" }
  | ({ readonly digest: string; readonly lockRemoved: boolean; readonly warning: string | undefined } & SweptState);

type SweptState =
  | { readonly state: "exact" }
  | { readonly state: "absent" }
  | { readonly state: "conflict"; readonly reason: Extract<Outcome, { state: "conflict" }>["reason"] };

/** Sweeps one content and reports a failure as its finding: the others are swept all the same. */
export function* sweepReporting(store: StoreIdentity, digest: string): Steps<SweepFinding> {
  try {
    return yield* sweepContent(store, digest);
  } catch (error) {
    if (error instanceof SkillCasError) {
      const { code, message, facts } = error;
      return { digest, state: "failed", code, message, facts };
    }
    throw error;
  }
}

/**
 * Recovers one content that has a stage or a lock file (spec 9.8), as a fresh handle would: a whole stage is published,
 * a broken one removed. The lock file goes where neither object nor stage is left, while it is held: whoever waited for
 * it sees that the name is gone, opens it anew and tries again.
 */
export function* sweepContent(store: StoreIdentity, digest: string): Steps<Swept> {
  const address: Address = { store, digest };
  try {
    return yield* withContentLock(address, "try", function* (held) {
      const outcome = yield* recover(address);
      if (outcome.state !== "absent") {
        return { digest, lockRemoved: false, warning: undefined, ...finding(outcome) };
      }
      return { digest, state: "absent", ...(yield* removeLock(address, held)) };
    });
  } catch (error) {
    if (error instanceof SkillCasError && error.code === "LOCK_BUSY") {
      return { digest, state: "busy" };
    }
    const unsafe = yield* findUnsafeLock(store, digest);
    if (unsafe !== undefined) {
      return { digest, lockRemoved: false, warning: undefined, state: "conflict", reason: unsafe.conflict };
    }
    throw error;
  }
}

interface RemovedLock {
  readonly lockRemoved: boolean;
  readonly warning: string | undefined;
}

/** A lock that cannot be removed costs a name in the directory and nothing else: a warning, not a failure. */
function* removeLock({ store, digest }: Address, held: FileIdentity): Steps<RemovedLock> {
  try {
    const named = yield* perform({ kind: "stat", name: lockName(digest) });
    if (named === undefined || !sameFile(named, held) || !isRemovable(store, named)) {
      return { lockRemoved: false, warning: `${lockName(digest)} stays: it is no longer the one that was locked` };
    }
    yield* perform({ kind: "removeLock", name: lockName(digest) });
    return { lockRemoved: true, warning: undefined };
  } catch (error) {
    return { lockRemoved: false, warning: `${lockName(digest)} stays: ${errnoOf(error) ?? "unknown error"}` };
  }
}

function finding(outcome: Exclude<Outcome, { state: "absent" }>): SweptState {
  return outcome.state === "exact" ? { state: "exact" } : { state: "conflict", reason: outcome.reason };
}
