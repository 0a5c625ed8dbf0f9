import { FfiError } from "../error.ts";
import { binding, type NativeDescriptor } from "./binding.ts";
import { type FileStatus, statDescriptor, statName } from "./file-status.ts";
import { Handle, succeed } from "./handle.ts";
import { type DirectoryEntry, type DirectoryListing, listEntries, readEntries } from "./listing.ts";
import { type MountStatus, statMount } from "./mount.ts";
import { joinPath, validateName } from "./name.ts";
import { PinnedFile } from "./pinned-file.ts";

/**
 * An open directory, by descriptor. Everything is done relative to it: it stays the same directory when it or one of its
 * parents is renamed or replaced, and no symbolic link is ever followed.
 *
 * Every method makes at most one changing system call, repeated only when a signal interrupted it. Every method throws
 * FfiError `HANDLE_CLOSED` after `close`, FfiError `INVALID_NAME` for a name that is not one path component, and
 * FileSystemError with the kernel's own errno.
 */
export class PinnedDirectory {
  readonly #handle: Handle;

  /** @internal Directories come from openPinnedDirectory. */
  constructor(descriptor: NativeDescriptor, path: string) {
    this.#handle = new Handle(descriptor, path);
  }

  /** The path it was opened by, for messages: nothing is looked up by it. */
  get path(): string {
    return this.#handle.path;
  }

  /** What the directory is now (`fstat`). */
  status(): FileStatus {
    return statDescriptor(this.#handle.descriptor, this.path);
  }

  /** What a name is now (`fstatat`, not following), or undefined where there is none. */
  stat(name: string): FileStatus | undefined {
    return statName(this.#handle.descriptor, this.path, validateName(name));
  }

  /** Makes a new file for writing, mode 0600 less the umask. `EEXIST` where the name is taken by anything at all. */
  create(name: string): PinnedFile {
    return this.#file(name, binding().createFile(this.#handle.descriptor, validateName(name)));
  }

  /** Opens a file for reading. `ELOOP` for a symbolic link. Never waits, not even for a FIFO. */
  open(name: string): PinnedFile {
    return this.#file(name, binding().openFile(this.#handle.descriptor, validateName(name)));
  }

  /** Opens a lock file for reading and writing, and makes it, mode 0600 less the umask, where there is none. */
  openOrCreateLock(name: string): PinnedFile {
    return this.#file(name, binding().openOrCreateLock(this.#handle.descriptor, validateName(name)));
  }

  /** Opens a directory in this one. `ENOTDIR` for anything else, a symbolic link included. */
  openDirectory(name: string): PinnedDirectory {
    const path = joinPath(this.path, validateName(name));
    return new PinnedDirectory(succeed(binding().openDirectory(this.#handle.descriptor, name, true), path), path);
  }

  /** Gives the entry `source` a second name (`linkat`). `EEXIST` where `target` is taken; nothing is ever replaced. */
  link(source: string, target: string): void {
    this.linkInto(source, this, target);
  }

  /** Gives the entry `source` a second name in another directory (`linkat`). `EXDEV` across file systems. */
  linkInto(source: string, directory: PinnedDirectory, target: string): void {
    const result = binding().link(
      this.#handle.descriptor,
      validateName(source),
      directory.#handle.descriptor,
      validateName(target),
    );
    succeed(result, directory.path, target);
  }

  /**
   * Moves the entry `source`, whatever it is, into another directory in one step (`renameat2` with `RENAME_NOREPLACE`;
   * `renameatx_np` on macOS). `EEXIST` where `target` is taken; nothing is ever replaced. `EINVAL` where the file system
   * cannot promise that, `EPERM` for an immutable entry, `EXDEV` across file systems.
   */
  renameInto(source: string, directory: PinnedDirectory, target: string): void {
    const result = binding().rename(
      this.#handle.descriptor,
      validateName(source),
      directory.#handle.descriptor,
      validateName(target),
    );
    succeed(result, directory.path, target);
  }

  /** Removes a name (`unlinkat`); `EISDIR` or `EPERM` for a directory. */
  unlink(name: string): void {
    succeed(binding().unlink(this.#handle.descriptor, validateName(name)), this.path, name);
  }

  /**
   * Makes a directory (`mkdirat`), mode 0700. On Linux the umask takes nothing away, except in a sandbox that forbids
   * `unshare`; a set-gid parent adds its bit everywhere.
   */
  makeDirectory(name: string): void {
    succeed(binding().makeDirectory(this.#handle.descriptor, validateName(name)), this.path, name);
  }

  /**
   * Brings the directory's names to the device (`fsync`). After a failure the kernel may report the next call as good, so
   * a caller must not ask again.
   */
  sync(): void {
    succeed(binding().sync(this.#handle.descriptor), this.path);
  }

  /**
   * Lists at most `limit` entries, in no order.
   *
   * @throws FfiError `INVALID_ARGUMENT` unless the limit is a whole number from 0 on.
   */
  list({ limit }: { readonly limit: number }): DirectoryListing {
    if (!Number.isSafeInteger(limit) || limit < 0) {
      throw new FfiError({
        code: "INVALID_ARGUMENT",
        message: `the limit ${limit} is not a number of entries: expected a whole number from 0 on.`,
        limit,
      });
    }
    return listEntries(this.#handle.descriptor, this.path, limit);
  }

  /**
   * Lists the directory in pieces of LISTING_PIECE_NAMES_MAX, with memory that does not grow with it. Entries that are
   * made or removed meanwhile may or may not be seen. Leaving the loop early closes the listing.
   */
  entries(): Generator<DirectoryEntry, void, undefined> {
    return readEntries(this.#handle.descriptor, this.path);
  }

  /** The file system that the directory lies on (`fstatfs`). */
  mount(): MountStatus {
    return statMount(this.#handle.descriptor, this.path);
  }

  /** Closes the directory. It is closed afterwards even where the system reports an error. */
  close(): void {
    this.#handle.close();
  }

  /** Closes the directory unless it is closed already. */
  [Symbol.dispose](): void {
    if (this.#handle.isOpen) this.#handle.close();
  }

  #file(name: string, result: ReturnType<ReturnType<typeof binding>["openFile"]>): PinnedFile {
    return new PinnedFile(succeed(result, this.path, name), joinPath(this.path, name));
  }
}
