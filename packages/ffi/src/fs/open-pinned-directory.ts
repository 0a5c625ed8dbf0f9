import { constants } from "node:os";
import { binding, type NativeDescriptor, type NativeFailure } from "./binding.ts";
import { statDescriptor, statName } from "./file-status.ts";
import { Handle, succeed } from "./handle.ts";
import { joinPath, splitPath } from "./name.ts";
import { PinnedDirectory } from "./pinned-directory.ts";

const PRIVATE_DIRECTORY_MODE = 0o700;

/** How a directory is opened. */
export interface OpenPinnedDirectoryOptions {
  /**
   * Makes missing components with mode 0700 and brings their entries to the device. Also syncs the entry of a component
   * that such an open may have made before it was interrupted: one that is 0700 and belongs to this user.
   */
  readonly create?: boolean;
}

/**
 * Opens a directory by walking its absolute path from "/", each component relative to the one before, so that no
 * symbolic link anywhere on the way is followed: one fails with `ENOTDIR`, and the error's path says which component.
 *
 * The walk needs search permission on the way and read permission on the directory itself. It judges neither owner nor
 * mode; `statComponents` gives what is needed for that.
 *
 * @throws FfiError `INVALID_PATH`; FileSystemError.
 */
export function openPinnedDirectory(path: string, options: OpenPinnedDirectoryOptions = {}): PinnedDirectory {
  const components = splitPath(path);
  const create = options.create ?? false;
  let current = new Handle(succeed(binding().openRoot(), "/"), "/");
  try {
    for (const name of components) {
      const next = create ? openOrMakeComponent(current, name) : openComponent(current, name);
      current.close();
      current = next;
    }
    // What was walked through was opened for search alone; "." is the same directory, now to be read and synced.
    return new PinnedDirectory(succeed(openForReading(current.descriptor), current.path), current.path);
  } finally {
    current.close();
  }
}

function openComponent(parent: Handle, name: string): Handle {
  const path = joinPath(parent.path, name);
  return new Handle(succeed(binding().openDirectory(parent.descriptor, name, false), path), path);
}

function openOrMakeComponent(parent: Handle, name: string): Handle {
  const path = joinPath(parent.path, name);
  const existing = binding().openDirectory(parent.descriptor, name, false);
  if (!isErrno(existing, constants.errno.ENOENT)) {
    const component = new Handle(succeed(existing, path), path);
    if (mayHaveBeenMadeHere(component)) syncEntriesIfReadable(parent);
    return component;
  }
  makeComponent(parent, name, path);
  syncEntries(parent);
  return openComponent(parent, name);
}

function makeComponent(parent: Handle, name: string, path: string): void {
  const made = binding().makeDirectory(parent.descriptor, name);
  // Somebody else made it in between. It is as good as ours, but its entry may not be on the device yet.
  if (isErrno(made, constants.errno.EEXIST)) return;
  succeed(made, path);
  const status = statName(parent.descriptor, parent.path, name);
  if (status?.kind === "directory" && status.mode !== PRIVATE_DIRECTORY_MODE) {
    succeed(binding().setDirectoryMode(parent.descriptor, name, PRIVATE_DIRECTORY_MODE), path);
  }
}

/** A crash after the making and before the sync leaves a component that is there, but whose entry a power cut takes. */
function mayHaveBeenMadeHere(component: Handle): boolean {
  const status = statDescriptor(component.descriptor, component.path);
  return status.mode === PRIVATE_DIRECTORY_MODE && status.owner === process.geteuid?.();
}

function syncEntries(directory: Handle): void {
  syncOpened(succeed(openForReading(directory.descriptor), directory.path), directory.path);
}

/** A parent that this user cannot read is not one in which this user's directories are made: /home is the usual case. */
function syncEntriesIfReadable(directory: Handle): void {
  const opened = openForReading(directory.descriptor);
  if (isErrno(opened, constants.errno.EACCES)) return;
  syncOpened(succeed(opened, directory.path), directory.path);
}

function syncOpened(descriptor: NativeDescriptor, path: string): void {
  const directory = new PinnedDirectory(descriptor, path);
  try {
    directory.sync();
  } finally {
    directory.close();
  }
}

function openForReading(descriptor: NativeDescriptor): NativeDescriptor | NativeFailure {
  return binding().openDirectory(descriptor, ".", true);
}

function isErrno(result: NativeDescriptor | NativeFailure | undefined, errno: number): boolean {
  return result !== undefined && "errno" in result && result.errno === errno;
}
