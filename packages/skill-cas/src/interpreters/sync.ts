import { lstatSync } from "node:fs";
import type { PinnedDirectory, PinnedFile } from "@mesh/ffi/fs";
import type { FileIdentity } from "../address.ts";
import type { Handle } from "../effects.ts";
import { SkillCasError } from "../error.ts";
import type { Interpreter } from "./run.ts";

/** The interpreter of one pinned directory, and the handles it holds open for the run. */
export interface SyncInterpreter extends Interpreter {
  /** Closes what an abandoned run left open, and so releases its locks. */
  readonly closeAll: () => void;
}

/** Performs effects on a real directory, on this thread: each is one call of the addon. */
export function createSyncInterpreter(directory: PinnedDirectory): SyncInterpreter {
  const files = new OpenFiles();
  return {
    create: ({ name, directory: inner }) => files.add(files.directoryOr(directory, inner).create(name)),
    setMode: ({ handle, mode }) => {
      files.get(handle).setMode(mode);
    },
    write: ({ handle, bytes, position }) => files.get(handle).write(bytes, position),
    syncFile: ({ handle }) => {
      files.get(handle).sync();
    },
    link: ({ source, target, directory: inner }) => {
      directory.linkInto(source, files.directoryOr(directory, inner), target);
    },
    rename: ({ name, target, directory: inner }) => {
      directory.renameInto(name, files.directoryOr(directory, inner), target);
    },
    unlink: ({ name }) => {
      directory.unlink(name);
    },
    syncDirectory: ({ directory: inner }) => {
      files.directoryOr(directory, inner).sync();
    },
    makeDirectory: ({ name }) => {
      directory.makeDirectory(name);
    },
    createLock: ({ name }) => files.add(directory.openOrCreateLock(name)),
    lock: ({ handle }) => files.get(handle).tryLock(),
    removeLock: ({ name }) => {
      directory.unlink(name);
    },
    stat: ({ name }) => directory.stat(name),
    statHandle: ({ handle }) => files.opened(handle).status(),
    statRoot: () => identityOf(directory.path),
    open: ({ name }) => files.add(directory.open(name)),
    openDirectory: ({ name }) => files.add(directory.openDirectory(name)),
    read: ({ handle, bytes, position }) => {
      const buffer = new Uint8Array(bytes);
      return buffer.subarray(0, files.get(handle).read(buffer, position));
    },
    dropCachedPages: ({ handle }) => files.get(handle).dropCachedPages(),
    startWriteback: ({ handle }) => {
      files.get(handle).startWriteback();
    },
    list: ({ prefix, limit }) => listNames(directory, prefix, limit),
    close: ({ handle }) => {
      files.close(handle);
    },
    closeAll: () => {
      files.closeAll();
    },
  };
}

/** The files and directories one run holds open, by the numbers the algorithm knows them by. */
class OpenFiles {
  readonly #opened = new Map<Handle, PinnedFile | PinnedDirectory>();
  #next = 1;

  add(opened: PinnedFile | PinnedDirectory): Handle {
    const handle = this.#next;
    this.#next += 1;
    this.#opened.set(handle, opened);
    return handle;
  }

  opened(handle: Handle): PinnedFile | PinnedDirectory {
    const opened = this.#opened.get(handle);
    if (opened === undefined) {
      throw wrongHandle(handle, "nothing");
    }
    return opened;
  }

  get(handle: Handle): PinnedFile {
    const opened = this.opened(handle);
    if ("entries" in opened) {
      throw wrongHandle(handle, "a directory");
    }
    return opened;
  }

  directoryOr(root: PinnedDirectory, handle: Handle | undefined): PinnedDirectory {
    const opened = handle === undefined ? root : this.opened(handle);
    if (!("entries" in opened)) {
      throw wrongHandle(handle ?? 0, "a file");
    }
    return opened;
  }

  close(handle: Handle): void {
    const opened = this.opened(handle);
    this.#opened.delete(handle);
    opened.close();
  }

  closeAll(): void {
    for (const handle of [...this.#opened.keys()]) {
      this.close(handle);
    }
  }
}

function wrongHandle(handle: Handle, found: string): SkillCasError {
  const message = `handle ${handle} is ${found}; the algorithm asked for something else`;
  return new SkillCasError({ code: "INVALID_ARGUMENT", message, facts: { handle, found } });
}

function listNames(directory: PinnedDirectory, prefix: string, limit: number): string[] {
  const names: string[] = [];
  for (const entry of directory.entries()) {
    // A name that is not UTF-8 is none of ours.
    if (entry.kind === "name" && entry.name.startsWith(prefix)) {
      names.push(entry.name);
      if (names.length >= limit) {
        break;
      }
    }
  }
  return names;
}

/** What the path of the root leads to now, without following a link that took its place. */
function identityOf(path: string): FileIdentity | undefined {
  const status = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return status === undefined ? undefined : { device: status.dev, inode: status.ino };
}
