import { FfiError } from "../error.ts";
import { binding, type NativeDescriptor } from "./binding.ts";
import { type FileStatus, statDescriptor } from "./file-status.ts";
import { Handle, succeed } from "./handle.ts";
import { validateMode } from "./mode.ts";

/**
 * An open file, by descriptor. It stays the same file whatever happens to its name. Every method makes at most one system
 * call, repeated only when a signal interrupted it; `dropCachedPages` makes a few, and none that changes the disk.
 *
 * Every method throws FfiError `HANDLE_CLOSED` after `close`, and FileSystemError with the kernel's own errno. A file
 * that is collected, or whose worker ends, is closed, and its lock with it.
 */
export class PinnedFile {
  readonly #handle: Handle;

  /** @internal Files come from the methods of PinnedDirectory. */
  constructor(descriptor: NativeDescriptor, path: string) {
    this.#handle = new Handle(descriptor, path);
  }

  /** The path it was opened by, for messages: nothing is looked up by it. */
  get path(): string {
    return this.#handle.path;
  }

  /** What the file is now (`fstat`). */
  status(): FileStatus {
    return statDescriptor(this.#handle.descriptor, this.path);
  }

  /**
   * Sets the twelve permission bits (`fchmod`), whatever the umask is.
   *
   * @throws FfiError `INVALID_ARGUMENT` unless 0 <= mode <= 0o7777.
   */
  setMode(mode: number): void {
    succeed(binding().setMode(this.#handle.descriptor, validateMode(mode)), this.path);
  }

  /**
   * Writes at a position (`pwrite`) and says how many bytes were written: fewer than given where the disk is nearly full
   * or a limit is reached, so the caller goes on from there.
   *
   * @throws FfiError `INVALID_ARGUMENT` for a position that is not a whole number of bytes.
   */
  write(bytes: Uint8Array, position: number): number {
    validateTransfer(bytes, position);
    return succeed(binding().write(this.#handle.descriptor, bytes, position), this.path);
  }

  /**
   * Reads at a position (`pread`) into `buffer` and says how many bytes were read; 0 at the end.
   *
   * @throws FfiError `INVALID_ARGUMENT` for a position that is not a whole number of bytes.
   */
  read(buffer: Uint8Array, position: number): number {
    validateTransfer(buffer, position);
    return succeed(binding().read(this.#handle.descriptor, buffer, position), this.path);
  }

  /**
   * Brings the file's bytes and status to the device (`fsync`; on macOS `F_FULLFSYNC`). After a failure the kernel may
   * have dropped the unwritten pages and report the next call as good, so a caller must not ask again.
   */
  sync(): void {
    succeed(binding().sync(this.#handle.descriptor), this.path);
  }

  /**
   * Asks the kernel to forget what it holds of the file in memory (`posix_fadvise` with `POSIX_FADV_DONTNEED`), then
   * counts what stayed (`mincore`). True when nothing did: what is read afterwards comes from the device, or was written
   * after this call. False when pages stayed, because they are not on the device yet, because somebody has them mapped, or
   * because there is no device (tmpfs), and on systems where nobody can tell (all but Linux).
   *
   * It says nothing of caches below the kernel: a disk, a hypervisor or a file system of its own may answer from memory.
   */
  dropCachedPages(): boolean {
    return succeed(binding().dropCachedPages(this.#handle.descriptor), this.path);
  }

  /**
   * Asks the kernel to begin writing what it holds of this file, and waits for nothing (`sync_file_range`, Linux; nothing
   * elsewhere): where many files are written, their syncs then find most of the work done. It promises nothing, not even
   * that anything was written, and leaves every error to `sync`; one of its own says that writing could not begin.
   */
  startWriteback(): void {
    succeed(binding().startWriteback(this.#handle.descriptor), this.path);
  }

  /** Takes the exclusive lock (`flock`) and never waits: false when another opening of the file holds it. */
  tryLock(): boolean {
    return succeed(binding().tryLock(this.#handle.descriptor), this.path);
  }

  /** Gives the lock back. Closing does that too. */
  unlock(): void {
    succeed(binding().unlock(this.#handle.descriptor), this.path);
  }

  /** Closes the file. It is closed afterwards even where the system reports an error. */
  close(): void {
    this.#handle.close();
  }

  /** Closes the file unless it is closed already. */
  [Symbol.dispose](): void {
    if (this.#handle.isOpen) this.#handle.close();
  }
}

function validateTransfer(bytes: Uint8Array, position: number): void {
  if (!(bytes instanceof Uint8Array)) {
    throw new FfiError({ code: "INVALID_ARGUMENT", message: "expected the bytes as a Uint8Array or Buffer." });
  }
  if (!Number.isSafeInteger(position) || position < 0) {
    throw new FfiError({
      code: "INVALID_ARGUMENT",
      message: `the position ${position} is not a whole number of bytes: expected 0 to ${Number.MAX_SAFE_INTEGER}.`,
      position,
    });
  }
}
