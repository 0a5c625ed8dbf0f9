import { SimulatedSystemError } from "./error.ts";
import { cloneInode, type SimulatedInode, type SimulatedKind, type SimulatedStatus } from "./inode.ts";

/** Device number of every file of the simulated disk. */
export const SIMULATED_DEVICE = 1n;

const ROOT = 1;

/** Inode number of the root directory. */
export const SIMULATED_ROOT_INODE = BigInt(ROOT);

/**
 * A change of a directory that no sync has made durable yet. The key is the name for an entry of the root, and
 * `<inode of the directory>/<name>` for one of a directory in it.
 */
export type DirectoryOperation =
  | { readonly kind: "add"; readonly key: string; readonly inode: number }
  | { readonly kind: "remove"; readonly key: string }
  | { readonly kind: "move"; readonly key: string; readonly to: string; readonly inode: number };

/** The key of a name in the root, or in the directory of that inode. */
export function entryKey(name: string, directory?: number): string {
  return directory === undefined ? name : `${directory}/${name}`;
}

/** The inode of the directory that an entry is in. */
function directoryOf(key: string): number {
  const slash = key.indexOf("/");
  return slash === -1 ? ROOT : Number(key.slice(0, slash));
}

/** What an actor outside of the protocol puts into the directory. */
export interface PlacedEntry {
  readonly kind: SimulatedKind;
  readonly owner: number;
  readonly mode: number;
  readonly bytes?: Uint8Array;
  /** Whether it has been on the disk for long; otherwise a power cut may take it. */
  readonly durable: boolean;
}

/**
 * One directory, and directories in it, on a disk that loses, at a power cut, everything that it may lose.
 *
 * Plain data: names (see {@link entryKey}) lead to inodes, both exist twice, once as the processes see them and once as they are on the disk.
 * It knows nothing of the protocol that is tested on it. Changes of names are kept in order until their directory is
 * synced, bytes and modes until the file is synced.
 */
export class SimulatedDisk {
  names = new Map<string, number>();
  durableNames = new Map<string, number>();
  pending: DirectoryOperation[] = [];
  /** Directories of which a sync failed and in which nothing happened since: the next sync succeeds and writes nothing. */
  forgottenDirectories = new Set<number>();
  inodes = new Map<number, SimulatedInode>();
  /** Whether the path of the root still leads to this directory. */
  rootInPlace = true;
  /** How many handles lead to an inode, by its number. */
  readonly #handles = new Map<number, number>();
  #nextInode = 2;
  #clock = 1;

  /** A disk in the same state that can go another way. Held handles and locks are not copied: they belong to processes. */
  clone(): SimulatedDisk {
    const copy = new SimulatedDisk();
    copy.names = new Map(this.names);
    copy.durableNames = new Map(this.durableNames);
    copy.pending = [...this.pending];
    copy.forgottenDirectories = new Set(this.forgottenDirectories);
    copy.inodes = new Map(
      [...this.inodes].map(([number, inode]) => [number, { ...cloneInode(inode), lockedBy: undefined }]),
    );
    copy.rootInPlace = this.rootInPlace;
    copy.#nextInode = this.#nextInode;
    copy.#clock = this.#clock;
    return copy;
  }

  /** The inode a name leads to. */
  lookUp(key: string): SimulatedInode | undefined {
    const number = this.names.get(key);
    return number === undefined ? undefined : this.inode(number);
  }

  /** The inode of a number that is in use. */
  inode(number: number): SimulatedInode {
    const inode = this.inodes.get(number);
    if (inode === undefined) {
      throw new Error(`the simulated disk has no inode ${number}`);
    }
    return inode;
  }

  /** Makes an inode without a name. */
  allocate(kind: SimulatedKind, owner: number, mode: number): SimulatedInode {
    const now = this.tick();
    const inode: SimulatedInode = {
      number: this.#nextInode,
      shownNumber: this.#lowestFreeNumber(),
      kind,
      owner,
      mode,
      durableMode: mode,
      bytes: new Uint8Array(),
      durableBytes: new Uint8Array(),
      data: "clean",
      modified: now,
      changed: now,
      lockedBy: undefined,
    };
    this.#nextInode += 1;
    this.inodes.set(inode.number, inode);
    return inode;
  }

  /** A process has got a handle to an inode, or has closed one. */
  countHandle(inode: SimulatedInode, change: 1 | -1): void {
    this.#handles.set(inode.number, (this.#handles.get(inode.number) ?? 0) + change);
  }

  /** A file system gives the numbers of removed files to new ones, lowest first: an identity by number alone is none. */
  #lowestFreeNumber(): number {
    const opened = [...this.#handles].filter(([, handles]) => handles > 0).map(([number]) => number);
    const taken = new Set([...this.names.values(), ...opened].map((number) => this.inode(number).shownNumber));
    let free = ROOT + 1;
    while (taken.has(free)) {
      free += 1;
    }
    return free;
  }

  /** Gives an inode a name. */
  addName(key: string, inode: SimulatedInode): void {
    this.names.set(key, inode.number);
    this.#operate({ kind: "add", key, inode: inode.number });
    inode.changed = this.tick();
  }

  /** Takes a name away. */
  removeName(key: string, syscall: string): void {
    const inode = this.lookUp(key);
    if (inode === undefined) {
      throw new SimulatedSystemError("ENOENT", syscall, key);
    }
    this.names.delete(key);
    this.#operate({ kind: "remove", key });
    inode.changed = this.tick();
  }

  /**
   * Moves a name. On the disk it is one step: file systems that keep a journal lose it as a whole, with both directories, so
   * that a power cut leaves the entry at one of its two names. A sync of either directory carries both halves.
   */
  moveName(from: string, to: string, inode: SimulatedInode): void {
    this.names.delete(from);
    this.names.set(to, inode.number);
    this.#operate({ kind: "move", key: from, to, inode: inode.number });
    this.forgottenDirectories.delete(directoryOf(to));
    inode.changed = this.tick();
  }

  /** Syncs a directory, the root unless told otherwise; or pretends to, as a disk does that has forgotten its failure. */
  syncDirectory(directory = ROOT): void {
    if (this.forgottenDirectories.has(directory)) {
      return;
    }
    const synced = this.#pendingIn(directory);
    for (const operation of synced) {
      applyOperation(this.durableNames, operation);
    }
    this.pending = this.pending.filter((operation) => !synced.includes(operation));
  }

  /** A sync of a directory that fails: what could not be written counts as written until something new happens. */
  failToSyncDirectory(directory = ROOT): void {
    if (this.#pendingIn(directory).length > 0) {
      this.forgottenDirectories.add(directory);
    }
  }

  /** Drops what memory holds of a file, and says whether it could: bytes that are still to be written stay. */
  dropCachedPages(inode: SimulatedInode): boolean {
    if (inode.data === "dirty") {
      return false;
    }
    // What a failed sync forgot is on no disk: from here on everybody sees what is.
    inode.bytes = inode.durableBytes;
    inode.data = "clean";
    return true;
  }

  /** Takes the names away whose directory is gone: nobody can reach them, and they count as links of nothing. */
  dropUnreachable(): void {
    const directories = new Set(this.names.values());
    for (const names of [this.names, this.durableNames]) {
      for (const key of [...names.keys()]) {
        const directory = directoryOf(key);
        if (directory !== ROOT && !directories.has(directory)) {
          names.delete(key);
        }
      }
    }
  }

  /** Syncs a file, or pretends to. */
  syncFile(inode: SimulatedInode): void {
    if (inode.data !== "forgotten") {
      inode.durableBytes = inode.bytes;
      inode.durableMode = inode.mode;
      inode.data = "clean";
    }
  }

  /** What a look at an inode returns. */
  status(inode: SimulatedInode): SimulatedStatus {
    return {
      kind: inode.kind,
      device: SIMULATED_DEVICE,
      inode: BigInt(inode.shownNumber),
      mode: inode.mode,
      owner: inode.owner,
      group: inode.owner,
      linkCount: [...this.names.values()].filter((number) => number === inode.number).length,
      size: inode.bytes.length,
      modifiedNs: BigInt(inode.modified),
      changedNs: BigInt(inode.changed),
    };
  }

  /** Puts something into the directory without asking anybody, as an actor does that ignores the protocol. */
  place(name: string, entry: PlacedEntry): SimulatedInode {
    const inode = this.allocate(entry.kind, entry.owner, entry.mode);
    inode.bytes = entry.bytes ?? new Uint8Array();
    inode.data = "dirty";
    this.addName(name, inode);
    if (entry.durable) {
      this.syncFile(inode);
      this.durableNames.set(name, inode.number);
      this.pending.pop();
    }
    return inode;
  }

  /** Advances the logical clock. */
  tick(): number {
    this.#clock += 1;
    return this.#clock;
  }

  #operate(operation: DirectoryOperation): void {
    this.pending.push(operation);
    // A new operation makes the directory dirty again: the next sync carries the forgotten ones too.
    this.forgottenDirectories.delete(directoryOf(operation.key));
  }

  #pendingIn(directory: number): DirectoryOperation[] {
    return this.pending.filter(
      (operation) =>
        directoryOf(operation.key) === directory ||
        (operation.kind === "move" && directoryOf(operation.to) === directory),
    );
  }
}

/** Does to a table of names what an operation says. */
export function applyOperation(names: Map<string, number>, operation: DirectoryOperation): void {
  if (operation.kind !== "add") {
    names.delete(operation.key);
  }
  if (operation.kind !== "remove") {
    names.set(operation.kind === "move" ? operation.to : operation.key, operation.inode);
  }
}
