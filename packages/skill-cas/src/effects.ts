import type { FileStatus } from "@mesh/ffi/fs";
import type { FileIdentity } from "./address.ts";

/**
 * The vocabulary of the crash-safe algorithms (design D5).
 *
 * The algorithms never touch a disk. They yield steps and are resumed with results; an interpreter turns each step into
 * at most one changing system call. So every point at which a crash can happen is a yield, and a test that stops at
 * every yield cannot miss a new one.
 */

/** A file or lock that an interpreter holds open for the algorithm; meaningless outside of that one run. */
export type Handle = number;

/**
 * Steps that change the disk: one changing system call each. Names are names in the root, unless a `directory` in it is
 * given: then `create` makes the name there, and `link` links into it.
 */
export type ChangingEffect =
  /** openat(O_WRONLY|O_CREAT|O_EXCL|O_NOFOLLOW, 0600). The mode is masked by the umask until `setMode`. */
  | { readonly kind: "create"; readonly name: string; readonly directory?: Handle }
  /** fchmod */
  | { readonly kind: "setMode"; readonly handle: Handle; readonly mode: number }
  /** pwrite; may write less than it was given. */
  | { readonly kind: "write"; readonly handle: Handle; readonly bytes: Uint8Array; readonly position: number }
  /** fsync of a file */
  | { readonly kind: "syncFile"; readonly handle: Handle; readonly name: string }
  /** linkat without following: fails with EEXIST rather than replacing anything. */
  | { readonly kind: "link"; readonly source: string; readonly target: string; readonly directory?: Handle }
  /** renameat2(RENAME_NOREPLACE) into a directory of the root: fails with EEXIST rather than replacing anything. */
  | { readonly kind: "rename"; readonly name: string; readonly target: string; readonly directory: Handle }
  /** unlinkat */
  | { readonly kind: "unlink"; readonly name: string }
  /** fsync of the root, or of a directory in it */
  | { readonly kind: "syncDirectory"; readonly directory?: Handle }
  /** mkdirat(0700) in the root */
  | { readonly kind: "makeDirectory"; readonly name: string }
  /** openat(O_RDWR|O_CREAT|O_NOFOLLOW, 0600) */
  | { readonly kind: "createLock"; readonly name: string }
  /** flock(LOCK_EX|LOCK_NB): false when somebody else holds it. */
  | { readonly kind: "lock"; readonly handle: Handle }
  /** unlinkat of a lock file */
  | { readonly kind: "removeLock"; readonly name: string };

/** Steps that change nothing on the disk. */
export type ReadingEffect =
  /** fstatat without following; undefined where there is no such name. */
  | { readonly kind: "stat"; readonly name: string }
  /** openat(O_DIRECTORY|O_NOFOLLOW) */
  | { readonly kind: "openDirectory"; readonly name: string }
  /** fstat */
  | { readonly kind: "statHandle"; readonly handle: Handle }
  /** lstat of the path by which the root was opened; undefined where it is gone. */
  | { readonly kind: "statRoot" }
  /** openat(O_RDONLY|O_NOFOLLOW|O_NONBLOCK) */
  | { readonly kind: "open"; readonly name: string }
  /** pread; empty at the end of the file. */
  | { readonly kind: "read"; readonly handle: Handle; readonly bytes: number; readonly position: number }
  /**
   * posix_fadvise(POSIX_FADV_DONTNEED), then a look at what stayed: true when what is read next comes from the device.
   */
  | { readonly kind: "dropCachedPages"; readonly handle: Handle }
  /** sync_file_range(SYNC_FILE_RANGE_WRITE): begins to write and waits for nothing. Advice, which promises nothing. */
  | { readonly kind: "startWriteback"; readonly handle: Handle }
  /** Names of the root that start with a prefix, at most `limit` of them. */
  | { readonly kind: "list"; readonly prefix: string; readonly limit: number }
  /** close; releases the lock that was taken through the handle. */
  | { readonly kind: "close"; readonly handle: Handle };

/** Everything that an interpreter performs on a disk. */
export type Effect = ChangingEffect | ReadingEffect;

/** Steps that are no business of the disk: wait, or ask the caller for the body of the object. */
export type HostStep = { readonly kind: "pause"; readonly milliseconds: number } | { readonly kind: "loadBody" };

/** One thing an algorithm may ask for. */
export type Step = Effect | HostStep;

/** What each step is answered with: the one table by which algorithms and interpreters are typed. */
export interface StepResults {
  create: Handle;
  setMode: undefined;
  write: number;
  syncFile: undefined;
  link: undefined;
  rename: undefined;
  unlink: undefined;
  syncDirectory: undefined;
  makeDirectory: undefined;
  createLock: Handle;
  lock: boolean;
  removeLock: undefined;
  stat: FileStatus | undefined;
  statHandle: FileStatus;
  statRoot: FileIdentity | undefined;
  open: Handle;
  openDirectory: Handle;
  read: Uint8Array;
  dropCachedPages: boolean;
  startWriteback: undefined;
  list: readonly string[];
  close: undefined;
  pause: undefined;
  loadBody: Uint8Array;
}

/** The answer to some step. */
export type StepResult = StepResults[Step["kind"]];

/** An algorithm: yields steps, is resumed with their results, returns a `T`. */
export type Steps<T> = Generator<Step, T, StepResult>;

const CHANGING = {
  create: true,
  setMode: true,
  write: true,
  syncFile: true,
  link: true,
  rename: true,
  unlink: true,
  syncDirectory: true,
  makeDirectory: true,
  createLock: true,
  lock: true,
  removeLock: true,
  stat: false,
  statHandle: false,
  statRoot: false,
  open: false,
  openDirectory: false,
  read: false,
  dropCachedPages: false,
  startWriteback: false,
  list: false,
  close: false,
  pause: false,
  loadBody: false,
} as const satisfies Record<Step["kind"], boolean>;

/** Whether a step changes the disk or makes a change durable. */
export function isChanging(step: Step): step is ChangingEffect {
  return CHANGING[step.kind];
}

/** Yields one step and gives its result the type that {@link StepResults} promises for it. */
export function* perform<K extends Step["kind"]>(step: Extract<Step, { kind: K }>): Steps<StepResults[K]> {
  // Both sides are typed by StepResults: an interpreter answers a step of kind K with StepResults[K] and nothing else.
  return (yield step) as StepResults[K];
}
