import type { PinnedDirectory } from "@mesh/ffi/fs";
import { InstallEngineError } from "../error.ts";
import type { ActionKey, JournalWaitOptions } from "../journal.ts";
import { LOCK_WAIT_MS_MAX } from "../limits.ts";
import { actionLockName } from "../types/scope.ts";
import { acquireFileLock, type FileLock } from "./file-lock.ts";

/**
 * Takes the lock of one action (spec 8.1). Its file stays for ever: removing it would let two holders lock two files of
 * one name.
 *
 * @throws InstallEngineError ACTION_LOCK_TIMEOUT, LOCK_FILE_UNSAFE; the signal's reason.
 */
export async function acquireActionLock(
  directory: PinnedDirectory,
  key: ActionKey,
  options: JournalWaitOptions,
): Promise<FileLock> {
  const name = `${actionLockName(key.streamKey, key.actionId)}.lock`;
  const lock = await acquireFileLock(directory, name, { waitMsMax: LOCK_WAIT_MS_MAX, signal: options.signal });
  if (lock === undefined) {
    const path = `${directory.path}/${name}`;
    throw new InstallEngineError({
      code: "ACTION_LOCK_TIMEOUT",
      message: `Another execution of ${key.actionId} held its lock ${path} for ${LOCK_WAIT_MS_MAX} ms. Nothing was done; try again when it has ended.`,
      facts: { path, actionId: key.actionId, waitMsMax: LOCK_WAIT_MS_MAX },
    });
  }
  return lock;
}
