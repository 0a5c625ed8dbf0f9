import type { FileStatus } from "@mesh/ffi/fs";

/** The one file or directory that a device and inode number name while the file system is mounted. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** What the algorithms know of the store they work in. */
export interface StoreIdentity {
  /** Effective user id of this process: whoever else owns an entry is a conflict. */
  readonly owner: number;
  /** The directory that was opened as the root. */
  readonly root: FileIdentity;
}

/** One content in one store: where it lives and what it must be. */
export interface Address {
  readonly store: StoreIdentity;
  /** SHA-256 of the bytes, and the name of the object. */
  readonly digest: string;
  /** Length in bytes, where it is known beforehand. */
  readonly size?: number | undefined;
}

/** Whether two looks saw the same file. */
export function sameFile(left: FileIdentity, right: FileIdentity): boolean {
  return left.device === right.device && left.inode === right.inode;
}

/**
 * Whether two looks saw the same file although its links may have changed in between. The inode number alone does not
 * tell: the number of a file that was removed is given to the next one that is made.
 */
export function sameEntry(left: FileStatus, right: FileStatus): boolean {
  return (
    sameFile(left, right) &&
    left.kind === right.kind &&
    left.mode === right.mode &&
    left.owner === right.owner &&
    left.size === right.size &&
    left.modifiedNs === right.modifiedNs
  );
}

/** Whether nothing about a file changed between two looks: the comparison of spec 9.4. */
export function sameStatus(left: FileStatus, right: FileStatus): boolean {
  return (
    sameFile(left, right) &&
    left.kind === right.kind &&
    left.mode === right.mode &&
    left.owner === right.owner &&
    left.linkCount === right.linkCount &&
    left.size === right.size &&
    left.modifiedNs === right.modifiedNs &&
    left.changedNs === right.changedNs
  );
}
