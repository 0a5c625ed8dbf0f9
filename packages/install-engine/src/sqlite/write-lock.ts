import type { FileLock } from "./file-lock.ts";
import { heldLock, LockFile } from "./file-lock.ts";
import type { JournalLocation } from "./journal-directory.ts";
import { writeLockName } from "./layout.ts";
import type { LockWaitOptions } from "./lock-wait.ts";

/**
 * The lock that every write of a journal holds against other threads, copies and processes of this package. Its file stays
 * open between two writes: opening and authenticating it costs more than taking it.
 */
export class WriteLock implements Disposable {
  readonly #location: JournalLocation;
  #file: LockFile | undefined;

  constructor(location: JournalLocation) {
    this.#location = location;
  }

  /**
   * Takes the lock. One at a time: whoever asks waits for its own turn before.
   *
   * @returns undefined when others held it for the whole time.
   * @throws InstallEngineError LOCK_FILE_UNSAFE; the signal's reason.
   */
  async acquire(options: LockWaitOptions): Promise<FileLock | undefined> {
    const file = this.#opened();
    if ((await file.lock(options)) === undefined) {
      return undefined;
    }
    if (!file.isReplaced()) {
      return this.#held(file);
    }
    // Somebody removed the file while the journal was open: everybody who opened it since holds the lock of another one.
    this.#forget();
    const named = this.#opened();
    return (await named.lock(options)) === undefined ? undefined : this.#held(named);
  }

  [Symbol.dispose](): void {
    this.#forget();
  }

  #opened(): LockFile {
    const { directory, name } = this.#location;
    this.#file ??= LockFile.open(directory, writeLockName(name));
    return this.#file;
  }

  #held(file: LockFile): FileLock {
    try {
      file.assertNamed();
    } catch (error) {
      this.#forget();
      throw error;
    }
    return heldLock(() => {
      file.unlock();
    });
  }

  #forget(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}
