import { constants } from "node:os";
import type { FileSystemErrorCode } from "./fs/error-code.ts";
import type { RuntimeErrorCode } from "./runtime/error-code.ts";

/** What can go wrong before the addon answers. Part of {@link FfiErrorCode}. */
export type LoaderErrorCode =
  /** The package has no addon for this platform, processor and C library. */
  | "ADDON_NOT_FOUND"
  /** The addon file is there, but it, or a library it depends on, could not be loaded. The cause says why. */
  | "ADDON_LOAD_FAILED"
  /** The loaded file is not the addon that this version of the package was built with. */
  | "ADDON_MISMATCH";

/** Every code that an error of this package can have. */
export type FfiErrorCode = LoaderErrorCode | FileSystemErrorCode | RuntimeErrorCode;

/** What an {@link FfiError} is made from. Everything beside `code`, `message` and `cause` becomes a fact. */
export interface FfiErrorOptions {
  readonly code: FfiErrorCode;
  readonly message: string;
  readonly cause?: unknown;
  readonly [fact: string]: unknown;
}

/**
 * The error of this package. `code` says which rule was broken and is stable; the message says what was found, what was
 * expected and what to do, and is for people. `facts` holds the same as data.
 */
export class FfiError extends Error {
  override readonly name: string = "FfiError";
  readonly code: FfiErrorCode;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor({ code, message, cause, ...facts }: FfiErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.facts = facts;
  }
}

/** What a {@link FileSystemError} is made from. */
export interface FileSystemErrorOptions {
  /** The number the system call left in `errno`, positive, as the kernel of this machine counts. */
  readonly errno: number;
  /** The system call that failed, for example `linkat`. */
  readonly syscall: string;
  /** What the call was about: the pinned directory's path, and the name in it when there was one. */
  readonly path: string;
}

/**
 * A system call failed. The errno is the kernel's own and is never relabelled: `ENOSPC` stays `ENOSPC`, and what it means
 * for the caller is the caller's decision.
 */
export class FileSystemError extends FfiError {
  override readonly name = "FileSystemError";
  override readonly code = "SYSTEM_CALL_FAILED";
  readonly errno: number;
  /** The symbolic name of `errno`, for example `ENOSPC`; `E<number>` where Node knows no name for it. */
  readonly errnoName: string;
  readonly syscall: string;
  readonly path: string;

  constructor({ errno, syscall, path }: FileSystemErrorOptions) {
    const errnoName = errnoNameOf(errno);
    super({
      code: "SYSTEM_CALL_FAILED",
      message: `${syscall} failed with ${errnoName} (${errno}) on ${path}`,
      errno,
      errnoName,
      syscall,
      path,
    });
    this.errno = errno;
    this.errnoName = errnoName;
    this.syscall = syscall;
    this.path = path;
  }
}

/** Two names may share one number (EAGAIN and EWOULDBLOCK on Linux): the first in this list is the one that is said. */
function errnoNameOf(errno: number): string {
  const known = Object.entries(constants.errno).find(([, number]) => number === errno);
  return known === undefined ? `E${errno}` : known[0];
}
