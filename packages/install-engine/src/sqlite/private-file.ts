import type { FileStatus } from "@mesh/ffi/fs";
import { PRIVATE_DIRECTORY_BITS_FORBIDDEN, PRIVATE_DIRECTORY_BITS_REQUIRED, PRIVATE_FILE_MODE } from "./limits.ts";

/**
 * What keeps a file from being private to this user, in words; undefined when nothing does (spec 5.1).
 *
 * The effective user counts, in locks and elsewhere alike: it is the one the kernel checks an open against.
 */
export function privateFileFault(status: FileStatus): string | undefined {
  if (status.kind !== "regular") {
    return `it is a ${status.kind}, not a regular file`;
  }
  if (status.linkCount !== 1) {
    return `it has ${status.linkCount} links, not 1`;
  }
  if (status.owner !== effectiveUser()) {
    return `it belongs to user ${status.owner}, not to user ${effectiveUser()}`;
  }
  if (status.mode !== PRIVATE_FILE_MODE) {
    return `its mode is ${octal(status.mode)}, not ${octal(PRIVATE_FILE_MODE)}`;
  }
  return undefined;
}

/** What keeps a directory from being private to this user, in words; undefined when nothing does (spec 5.1). */
export function privateDirectoryFault(status: FileStatus): string | undefined {
  if (status.kind !== "directory") {
    return `it is a ${status.kind}, not a directory`;
  }
  if (status.owner !== effectiveUser()) {
    return `it belongs to user ${status.owner}, not to user ${effectiveUser()}`;
  }
  const open = (status.mode & PRIVATE_DIRECTORY_BITS_FORBIDDEN) !== 0;
  const usable = (status.mode & PRIVATE_DIRECTORY_BITS_REQUIRED) === PRIVATE_DIRECTORY_BITS_REQUIRED;
  return open || !usable ? `its mode is ${octal(status.mode)}, not 0700` : undefined;
}

function effectiveUser(): number | undefined {
  return process.geteuid?.();
}

function octal(mode: number): string {
  return `0${mode.toString(8).padStart(3, "0")}`;
}
