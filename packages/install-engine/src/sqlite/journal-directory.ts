import { basename, dirname, isAbsolute, normalize } from "node:path";
import { type FileStatus, openPinnedDirectory, type PinnedDirectory } from "@mesh/ffi/fs";
import { InstallEngineError } from "../error.ts";
import { assertFileSystem } from "./file-system.ts";
import { ACTION_LOCKS_DIRECTORY } from "./layout.ts";
import { privateDirectoryFault } from "./private-file.ts";

/** Where a journal is: the pinned directory, and the name of the database file in it. */
export interface JournalLocation {
  readonly path: string;
  readonly name: string;
  readonly directory: PinnedDirectory;
}

/**
 * Pins the directory of a journal: every component is opened without following symlinks, and the last must be private to
 * this user (spec 5.1). `path` comes from outside.
 *
 * @throws InstallEngineError JOURNAL_PATH_INVALID, JOURNAL_DIRECTORY_UNSAFE, JOURNAL_RUNTIME_UNSUPPORTED.
 */
export function openJournalLocation(path: string, options: { readonly create: boolean }): JournalLocation {
  assertPath(path);
  const parent = dirname(path);
  let directory: PinnedDirectory;
  try {
    directory = openPinnedDirectory(parent, { create: options.create });
  } catch (cause) {
    throw unsafe(parent, `it could not be opened${options.create ? " or made" : ""} without following symlinks`, cause);
  }
  try {
    assertPrivate(parent, directory.status());
    assertFileSystem(parent, directory.mount());
    return { path, name: basename(path), directory };
  } catch (error) {
    directory.close();
    throw error;
  }
}

/** Pins the directory of the per-action locks, made beside the journal when it is missing (spec 5.1). */
export function openActionLocksDirectory(location: JournalLocation): PinnedDirectory {
  const path = `${location.directory.path}/${ACTION_LOCKS_DIRECTORY}`;
  if (location.directory.stat(ACTION_LOCKS_DIRECTORY) === undefined) {
    makeDirectoryOnce(location.directory);
  }
  let directory: PinnedDirectory;
  try {
    directory = location.directory.openDirectory(ACTION_LOCKS_DIRECTORY);
  } catch (cause) {
    throw unsafe(path, "it could not be opened without following symlinks", cause);
  }
  try {
    assertPrivate(path, directory.status());
    return directory;
  } catch (error) {
    directory.close();
    throw error;
  }
}

function makeDirectoryOnce(directory: PinnedDirectory): void {
  try {
    directory.makeDirectory(ACTION_LOCKS_DIRECTORY);
  } catch (error) {
    // Another process that opens the same journal may have been first; what it made is checked like our own.
    if (directory.stat(ACTION_LOCKS_DIRECTORY) === undefined) {
      throw error;
    }
  }
}

function assertPath(path: string): void {
  const fault = !isAbsolute(path)
    ? "it is not absolute"
    : path.includes("\0")
      ? "it holds a NUL"
      : normalize(path) !== path || path.endsWith("/")
        ? "it is not in its shortest form"
        : path.trim() !== path
          ? // The driver trims what it is given and would open another file than the one that was checked.
            "it ends with a blank"
          : undefined;
  if (fault !== undefined) {
    throw new InstallEngineError({
      code: "JOURNAL_PATH_INVALID",
      message: `The journal path ${JSON.stringify(path)} is refused: ${fault}. Expected an absolute path of a file, without "." or ".." in it.`,
      facts: { path, fault },
    });
  }
}

function assertPrivate(path: string, status: FileStatus): void {
  const fault = privateDirectoryFault(status);
  if (fault !== undefined) {
    throw unsafe(path, fault, undefined);
  }
}

function unsafe(path: string, fault: string, cause: unknown): InstallEngineError {
  return new InstallEngineError({
    code: "JOURNAL_DIRECTORY_UNSAFE",
    message: `The journal directory ${path} cannot be used: ${fault}. Expected a directory of this user with mode 0700 and no symlink anywhere in its path (chmod 700 ${path}).`,
    cause,
    facts: { path, fault },
  });
}
