import { SimulatedSystemError } from "./error.ts";
import { cloneInode, type SimulatedInode, type SimulatedKind, type SimulatedStatus } from "./inode.ts";

/** Device number of every file of the simulated disk. */
export const SIMULATED_DEVICE = 1n;

/** Inode number of the one directory. */
export const SIMULATED_ROOT_INODE = 1n;

/** A change of the directory that no sync has made durable yet. */
export type DirectoryOperation =
  | { readonly kind: "add"; readonly name: string; readonly inode: number }
  | { readonly kind: "remove"; readonly name: string };

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
 * One directory on a disk that loses, at a power cut, everything that it may lose.
 *
 * Plain data: names lead to inodes, both exist twice, once as the processes see them and once as they are on the disk.
 * It knows nothing of the protocol that is tested on it. Changes of names are kept in order until the directory is
 * synced, bytes and modes until the file is synced.
 */
export class SimulatedDisk {
  names = new Map<string, number>();
  durableNames = new Map<string, number>();
  pending: DirectoryOperation[] = [];
  /** A sync of the directory failed and nothing happened in it since: the next sync succeeds and writes nothing. */
  directoryForgotten = false;
  inodes = new Map<number, SimulatedInode>();
  /** Whether the path of the root still leads to this directory. */
  rootInPlace = true;
  #nextInode = 2;
  #clock = 1;

  /** A disk in the same state that can go another way. Held handles and locks are not copied: they belong to processes. */
  clone(): SimulatedDisk {
    const copy = new SimulatedDisk();
    copy.names = new Map(this.names);
    copy.durableNames = new Map(this.durableNames);
    copy.pending = [...this.pending];
    copy.directoryForgotten = this.directoryForgotten;
    copy.inodes = new Map(
      [...this.inodes].map(([number, inode]) => [number, { ...cloneInode(inode), lockedBy: undefined }]),
    );
    copy.rootInPlace = this.rootInPlace;
    copy.#nextInode = this.#nextInode;
    copy.#clock = this.#clock;
    return copy;
  }

  /** The inode a name leads to. */
  lookUp(name: string): SimulatedInode | undefined {
    const number = this.names.get(name);
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

  /** Gives an inode a name. */
  addName(name: string, inode: SimulatedInode): void {
    this.names.set(name, inode.number);
    this.#operate({ kind: "add", name, inode: inode.number });
    inode.changed = this.tick();
  }

  /** Takes a name away. */
  removeName(name: string, syscall: string): void {
    const inode = this.lookUp(name);
    if (inode === undefined) {
      throw new SimulatedSystemError("ENOENT", syscall, name);
    }
    this.names.delete(name);
    this.#operate({ kind: "remove", name });
    inode.changed = this.tick();
  }

  /** Syncs the directory, or pretends to, as a disk does that has forgotten its failure. */
  syncDirectory(): void {
    if (!this.directoryForgotten) {
      this.durableNames = new Map(this.names);
      this.pending = [];
    }
  }

  /** A sync of the directory that fails: what could not be written counts as written until something new happens. */
  failToSyncDirectory(): void {
    this.directoryForgotten = this.pending.length > 0;
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
      inode: BigInt(inode.number),
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
    this.directoryForgotten = false;
  }
}
