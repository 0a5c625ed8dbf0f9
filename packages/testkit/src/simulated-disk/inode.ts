/** What a directory entry can be. */
export type SimulatedKind =
  | "regular"
  | "directory"
  | "symlink"
  | "fifo"
  | "socket"
  | "block-device"
  | "character-device";

/** The fields a look at a file returns; the shape of the addon's FileStatus. */
export interface SimulatedStatus {
  readonly kind: SimulatedKind;
  readonly device: bigint;
  readonly inode: bigint;
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
  readonly linkCount: number;
  readonly size: number;
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
}

/** One file as the page cache shows it, and as much of it as a power cut must leave. */
export interface SimulatedInode {
  /** Names one file for ever. */
  readonly number: number;
  /** The number that a look shows: once no name and no handle leads to a file, the next one that is made gets it. */
  shownNumber: number;
  readonly kind: SimulatedKind;
  owner: number;
  mode: number;
  /** Mode that is on the disk: the one at creation until a sync. */
  durableMode: number;
  bytes: Uint8Array;
  /** Bytes that are on the disk. */
  durableBytes: Uint8Array;
  /**
   * `dirty`: changed since the last sync. `forgotten`: a sync failed, the pages count as clean and no later sync writes
   * them (what Linux did for years, and what nobody can exclude today).
   */
  data: "clean" | "dirty" | "forgotten";
  /** Logical clock of the last change of data and of anything. */
  modified: number;
  changed: number;
  /** The handle that holds the flock. */
  lockedBy: string | undefined;
}

/** A copy that shares nothing but immutable bytes. */
export function cloneInode(inode: SimulatedInode): SimulatedInode {
  return { ...inode };
}
