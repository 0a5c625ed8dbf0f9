import type { FileStatus } from "@mesh/ffi/fs";
import { type Address, type FileIdentity, sameFile, type StoreIdentity } from "./address.ts";
import { type Handle, perform, type Steps } from "./effects.ts";
import { errnoOf, SkillCasError } from "./error.ts";
import { closeQuietly, withHandle } from "./handle.ts";
import { isRemovable } from "./inspect.ts";
import { FILE_MODE, LOCK_ATTEMPTS_MAX, LOCK_POLL_MS_MAX, LOCK_WAIT_MS_MAX, lockName } from "./layout.ts";
import type { EntryConflict } from "./links.ts";
import { conflict, modeText, withStatus } from "./reason.ts";

/** Whether to wait for a lock that somebody else holds. A batch never does: it holds others meanwhile. */
export type LockPatience = "wait" | "try";

/**
 * Runs an algorithm while holding the lock of one content (spec 8.1): flock on `<digest>.lock`, released by the kernel
 * when this process dies.
 *
 * @throws SkillCasError LOCK_BUSY when somebody holds it (after `LOCK_WAIT_MS_MAX`, or at once), LOCK_UNSAFE when
 * something else stands at its name.
 */
export function withContentLock<T>(
  address: Address,
  patience: LockPatience,
  body: (held: FileIdentity) => Steps<T>,
): Steps<T> {
  return withLock(address.store, lockName(address.digest), patience, body);
}

/** The same for a lock file of any name in the root. The body is told which file is held. */
export function* withLock<T>(
  store: StoreIdentity,
  name: string,
  patience: LockPatience,
  body: (held: FileIdentity) => Steps<T>,
): Steps<T> {
  const { handle, held } = yield* acquire(store, name, patience);
  return yield* withHandle(handle, () => body(held));
}

/** An open lock file, and which one it is. */
interface Acquired {
  readonly handle: Handle;
  readonly held: FileIdentity;
}

function* acquire(store: StoreIdentity, name: string, patience: LockPatience): Steps<Acquired> {
  for (let attempt = 1; attempt <= LOCK_ATTEMPTS_MAX; attempt += 1) {
    const handle = yield* openLock(store, name, attempt);
    const held = handle === undefined ? undefined : yield* holdName(store, name, handle, patience);
    if (handle !== undefined && held !== undefined) {
      return { handle, held };
    }
  }
  throw busy(name, `the lock was replaced ${LOCK_ATTEMPTS_MAX} times while it was being taken`);
}

/** What opening something that is no lock file for writing can fail with. */
const UNOPENABLE: readonly string[] = ["ELOOP", "EISDIR", "ENXIO", "ENODEV", "EPERM"];

/** Undefined where the attempt has to be made again. */
function* openLock(store: StoreIdentity, name: string, attempt: number): Steps<Handle | undefined> {
  try {
    return yield* perform({ kind: "createLock", name });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EACCES") {
      yield* removeUnopenable(store, name, attempt, error);
      return undefined;
    }
    if (errno === "ENOENT") {
      // Seen on Darwin when the file is removed while it is being created.
      yield* perform({ kind: "pause", milliseconds: attempt });
      return undefined;
    }
    if (errno !== undefined && UNOPENABLE.includes(errno)) {
      yield* refuseUnopenable(name, errno, error);
    }
    throw error;
  }
}

/**
 * A symbolic link, a directory, a socket or a device without a driver, an immutable file. Where nothing stands at the name,
 * the errno is the directory's own and stays what it is.
 */
function* refuseUnopenable(name: string, errno: string, cause: unknown): Steps<void> {
  const status = yield* perform({ kind: "stat", name });
  if (status !== undefined) {
    throw unsafe(name, `${describe(status)}, which cannot be opened for writing (${errno})`, cause);
  }
}

/**
 * A crash between creating a lock and setting its mode, under a umask that takes the owner's bits, leaves a lock that
 * nobody can open. A living creator sets the mode within microseconds, so it is given time before the file is removed;
 * and should it live after all, it sees that it no longer holds the name.
 */
function* removeUnopenable(store: StoreIdentity, name: string, attempt: number, cause: unknown): Steps<void> {
  const status = yield* perform({ kind: "stat", name });
  if (status === undefined && attempt === LOCK_ATTEMPTS_MAX) {
    // It is the directory that refuses, not the lock.
    throw cause;
  }
  // Where the mode is right by now, its creator lives and the next opening succeeds; unless something else is in the way.
  const rightMode = status?.mode === FILE_MODE;
  if (status !== undefined && (!isRemovable(store, status) || (rightMode && attempt === LOCK_ATTEMPTS_MAX))) {
    throw unsafe(name, `mode ${modeText(status.mode)}, owner ${status.owner}`, cause);
  }
  if (status === undefined || rightMode || attempt < LOCK_ATTEMPTS_MAX / 2) {
    yield* perform({ kind: "pause", milliseconds: LOCK_POLL_MS_MAX });
    return;
  }
  try {
    yield* perform({ kind: "removeLock", name });
  } catch (error) {
    // Somebody else who waited was faster.
    if (errnoOf(error) !== "ENOENT") {
      throw error;
    }
  }
}

/** Takes the lock. Undefined, and the handle closed, unless the name still leads to what is held. */
function* holdName(
  store: StoreIdentity,
  name: string,
  handle: Handle,
  patience: LockPatience,
): Steps<FileIdentity | undefined> {
  let held: FileIdentity | undefined;
  try {
    held = yield* lockNamedFile(store, name, handle, patience);
  } catch (error) {
    yield* closeQuietly(handle);
    throw error;
  }
  if (held === undefined) {
    // Somebody removed the file between our opening and our locking it: others would lock another one.
    yield* perform({ kind: "close", handle });
  }
  return held;
}

function* lockNamedFile(
  store: StoreIdentity,
  name: string,
  handle: Handle,
  patience: LockPatience,
): Steps<FileIdentity | undefined> {
  const status = yield* perform({ kind: "statHandle", handle });
  if (status.linkCount === 0) {
    return undefined;
  }
  if (!isRemovable(store, status)) {
    throw unsafe(name, describe(status), undefined);
  }
  if (status.mode !== FILE_MODE) {
    yield* perform({ kind: "setMode", handle, mode: FILE_MODE });
  }
  yield* waitForLock(name, handle, patience);
  const named = yield* perform({ kind: "stat", name });
  return named !== undefined && sameFile(named, status) ? status : undefined;
}

function* waitForLock(name: string, handle: Handle, patience: LockPatience): Steps<void> {
  let waited = 0;
  let pause = 1;
  while (!(yield* perform({ kind: "lock", handle }))) {
    if (patience === "try" || waited >= LOCK_WAIT_MS_MAX) {
      throw busy(name, `somebody else held it for ${waited} ms`);
    }
    yield* perform({ kind: "pause", milliseconds: pause });
    waited += pause;
    pause = Math.min(pause * 2, LOCK_POLL_MS_MAX);
  }
}

/** What is wrong with the entry at the name of a lock: nobody can take the lock while it is there. */
export function* findUnsafeLock(store: StoreIdentity, digest: string): Steps<EntryConflict | undefined> {
  const name = lockName(digest);
  const status = yield* perform({ kind: "stat", name });
  return status === undefined || isRemovable(store, status)
    ? undefined
    : {
        entry: { name, status },
        conflict: withStatus(conflict("unsafe-lock", name, describe(status), "a lock file"), status),
      };
}

function describe(status: FileStatus): string {
  return `${status.kind}, mode ${modeText(status.mode)}, owner ${status.owner}, ${status.linkCount} links`;
}

function busy(name: string, found: string): SkillCasError {
  return new SkillCasError({
    code: "LOCK_BUSY",
    message: `${name}: ${found}; try again when the other process is done`,
    facts: { name },
  });
}

function unsafe(name: string, found: string, cause: unknown): SkillCasError {
  return new SkillCasError({
    code: "LOCK_UNSAFE",
    message:
      `${name}: found ${found}; expected a regular file of this user, mode within ${modeText(FILE_MODE)}, one link. ` +
      "Nothing was touched: look at it and quarantine it",
    cause,
    facts: { name, found, errnoName: errnoOf(cause) ?? null },
  });
}
