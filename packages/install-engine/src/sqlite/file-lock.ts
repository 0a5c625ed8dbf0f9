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
 * Takes the lock on the file `name` in a private directory, by the rules of spec 8.1: the file is made when missing, is
 * ours alone, and is still the file of that name once the lock is held. Not re-entrant. A flock belongs to the open file,
 * not to the process, so two threads and two copies of this package exclude each other as two processes do.
 *
 * @returns undefined when somebody else held it for the whole time.
 * @throws InstallEngineError LOCK_FILE_UNSAFE when the file is not one that can be trusted.
 */
export async function acquireFileLock(
  directory: PinnedDirectory,
  name: string,
  options: LockWaitOptions,
): Promise<FileLock | undefined> {
  const file = openLockFile(directory, name);
  try {
    const held = await waitForLock(() => (file.tryLock() ? true : undefined), options);
    if (held === undefined) {
      file.close();
      return undefined;
    }
    assertSameFile(directory, name, file);
    return heldLock(file);
  } catch (error) {
    file.close();
    throw error;
  }
}

function openLockFile(directory: PinnedDirectory, name: string): PinnedFile {
  let file: PinnedFile;
  try {
    file = directory.openOrCreateLock(name);
  } catch (cause) {
    throw unsafe(directory, name, "it could not be opened or made", cause);
  }
  try {
    // A restrictive umask takes owner bits away from a file that is made, whatever mode was asked for.
    if (
      file.status().mode !== PRIVATE_FILE_MODE &&
      privateFileFault({ ...file.status(), mode: PRIVATE_FILE_MODE }) === undefined
    ) {
      file.setMode(PRIVATE_FILE_MODE);
    }
    assertSameFile(directory, name, file);
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Whoever replaced the name meanwhile locks another file than we do: nothing is excluded then. */
function assertSameFile(directory: PinnedDirectory, name: string, file: PinnedFile): void {
  const opened = file.status();
  const named: FileStatus | undefined = directory.stat(name);
  if (named === undefined || named.inode !== opened.inode || named.device !== opened.device) {
    throw unsafe(directory, name, "the name no longer leads to the file that was opened", undefined);
  }
  const fault = privateFileFault(opened);
  if (fault !== undefined) {
    throw unsafe(directory, name, fault, undefined);
  }
}

function heldLock(file: PinnedFile): FileLock {
  let held = true;
  const release = (): void => {
    if (held) {
      held = false;
      // Closing the only descriptor of an open file gives its flock back.
      file.close();
    }
  };
  return { release, [Symbol.dispose]: release };
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
