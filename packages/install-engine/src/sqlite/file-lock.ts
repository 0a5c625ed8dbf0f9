import type { FileStatus, PinnedDirectory, PinnedFile } from "@mesh/ffi/fs";
import { InstallEngineError } from "../error.ts";
import { PRIVATE_FILE_MODE } from "./limits.ts";
import { type LockWaitOptions, waitForLock } from "./lock-wait.ts";
import { privateFileFault } from "./private-file.ts";

/** A lock that is held. The kernel gives it back when the process ends, however it ends. */
export interface FileLock extends Disposable {
  /** Gives the lock back; further calls do nothing. The file stays: whether it exists says nothing (spec 5.5). */
  release(): void;
}

/**
 * A lock file in a private directory, by the rules of spec 8.1: it is made when missing, it is ours alone, and it is still
 * the file of that name once the lock is held. Not re-entrant. A flock belongs to the open file, not to the process, so two
 * threads and two copies of this package exclude each other as two processes do.
 */
export class LockFile {
  readonly #directory: PinnedDirectory;
  readonly #name: string;
  readonly #file: PinnedFile;

  private constructor(directory: PinnedDirectory, name: string, file: PinnedFile) {
    this.#directory = directory;
    this.#name = name;
    this.#file = file;
  }

  /** @throws InstallEngineError LOCK_FILE_UNSAFE when the file is not one that can be trusted. */
  static open(directory: PinnedDirectory, name: string): LockFile {
    const file = openLockFile(directory, name);
    return new LockFile(directory, name, file);
  }

  /**
   * Takes the lock. Closing the file gives it back, and so does `unlock`.
   *
   * @returns undefined when somebody else held it for the whole time.
   */
  async lock(options: LockWaitOptions): Promise<true | undefined> {
    return waitForLock(() => (this.#file.tryLock() ? true : undefined), options);
  }

  unlock(): void {
    this.#file.unlock();
  }

  /**
   * Whoever replaced the name meanwhile locks another file than we do: nothing is excluded then.
   *
   * @throws InstallEngineError LOCK_FILE_UNSAFE.
   */
  assertNamed(): void {
    assertNamed(this.#directory, this.#name, this.#file.status());
  }

  /** Whether the name leads to another file, or to none, since this one was opened. */
  isReplaced(): boolean {
    return !sameFile(this.#directory.stat(this.#name), this.#file.status());
  }

  close(): void {
    this.#file.close();
  }
}

/**
 * Takes the lock on the file `name` once; releasing it closes the file.
 *
 * @returns undefined when somebody else held it for the whole time.
 * @throws InstallEngineError LOCK_FILE_UNSAFE when the file is not one that can be trusted; the signal's reason.
 */
export async function acquireFileLock(
  directory: PinnedDirectory,
  name: string,
  options: LockWaitOptions,
): Promise<FileLock | undefined> {
  const file = LockFile.open(directory, name);
  try {
    if ((await file.lock(options)) === undefined) {
      file.close();
      return undefined;
    }
    file.assertNamed();
    // Closing the only descriptor of an open file gives its flock back.
    return heldLock(() => {
      file.close();
    });
  } catch (error) {
    file.close();
    throw error;
  }
}

/** A lock that is held until it is released, once. */
export function heldLock(giveBack: () => void): FileLock {
  let held = true;
  const release = (): void => {
    if (held) {
      held = false;
      giveBack();
    }
  };
  return { release, [Symbol.dispose]: release };
}

function openLockFile(directory: PinnedDirectory, name: string): PinnedFile {
  let file: PinnedFile;
  try {
    file = directory.openOrCreateLock(name);
  } catch (cause) {
    throw unsafe(directory, name, "it could not be opened or made", cause);
  }
  try {
    assertNamed(directory, name, withPrivateMode(file));
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** A restrictive umask takes owner bits away from a file that is made, whatever mode was asked for. */
function withPrivateMode(file: PinnedFile): FileStatus {
  const status = file.status();
  if (status.mode === PRIVATE_FILE_MODE || privateFileFault({ ...status, mode: PRIVATE_FILE_MODE }) !== undefined) {
    return status;
  }
  file.setMode(PRIVATE_FILE_MODE);
  return file.status();
}

function assertNamed(directory: PinnedDirectory, name: string, opened: FileStatus): void {
  if (!sameFile(directory.stat(name), opened)) {
    throw unsafe(directory, name, "the name no longer leads to the file that was opened", undefined);
  }
  const fault = privateFileFault(opened);
  if (fault !== undefined) {
    throw unsafe(directory, name, fault, undefined);
  }
}

function sameFile(named: FileStatus | undefined, opened: FileStatus): boolean {
  return named !== undefined && named.inode === opened.inode && named.device === opened.device;
}

function unsafe(directory: PinnedDirectory, name: string, fault: string, cause: unknown): InstallEngineError {
  const path = `${directory.path}/${name}`;
  return new InstallEngineError({
    code: "LOCK_FILE_UNSAFE",
    message: `The lock file ${path} cannot be trusted: ${fault}. Expected a regular file of this user with one link and mode 0600, or none; remove it while nothing uses the journal.`,
    cause,
    facts: { path, fault },
  });
}
