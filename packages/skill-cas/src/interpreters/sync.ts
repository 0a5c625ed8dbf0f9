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
    create: ({ name }) => files.add(directory.create(name)),
    setMode: ({ handle, mode }) => {
      files.get(handle).setMode(mode);
    },
    write: ({ handle, bytes, position }) => files.get(handle).write(bytes, position),
    syncFile: ({ handle }) => {
      files.get(handle).sync();
    },
    link: ({ source, target }) => {
      directory.link(source, target);
    },
    unlink: ({ name }) => {
      directory.unlink(name);
    },
    syncDirectory: () => {
      directory.sync();
    },
    createLock: ({ name }) => files.add(directory.openOrCreateLock(name)),
    lock: ({ handle }) => files.get(handle).tryLock(),
    removeLock: ({ name }) => {
      directory.unlink(name);
    },
    stat: ({ name }) => directory.stat(name),
    statHandle: ({ handle }) => files.get(handle).status(),
    statRoot: () => identityOf(directory.path),
    open: ({ name }) => files.add(directory.open(name)),
    read: ({ handle, bytes, position }) => {
      const buffer = new Uint8Array(bytes);
      return buffer.subarray(0, files.get(handle).read(buffer, position));
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

/** The files one run holds open, by the numbers the algorithm knows them by. */
class OpenFiles {
  readonly #files = new Map<Handle, PinnedFile>();
  #next = 1;

  add(file: PinnedFile): Handle {
    const handle = this.#next;
    this.#next += 1;
    this.#files.set(handle, file);
    return handle;
  }

  get(handle: Handle): PinnedFile {
    const file = this.#files.get(handle);
    if (file === undefined) {
      throw new SkillCasError({ code: "INVALID_ARGUMENT", message: `handle ${handle} is not open`, facts: { handle } });
    }
    return file;
  }

  close(handle: Handle): void {
    const file = this.get(handle);
    this.#files.delete(handle);
    file.close();
  }

  closeAll(): void {
    for (const handle of [...this.#files.keys()]) {
      this.close(handle);
    }
  }
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
