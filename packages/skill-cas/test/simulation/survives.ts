import type { SimulatedDisk, SimulatedInode } from "@mesh/testkit/simulated-disk";

/**
 * Whether a name leads to a file of some property after every power cut that can happen now. Nothing is enumerated: each
 * pending operation reaches the disk or does not, whatever becomes of the others, so a name is certain exactly when all
 * that it can lead to is.
 */
export function survives(disk: SimulatedDisk, key: string, isGood: (inode: SimulatedInode) => boolean): boolean {
  const durable = disk.durableNames.get(key);
  if (durable === undefined || !isGood(disk.inode(durable))) {
    return false;
  }
  return disk.pending.every(
    (operation) => operation.key !== key || (operation.kind === "add" && isGood(disk.inode(operation.inode))),
  );
}

/** Whether every power cut leaves a file private, with exactly these bytes. */
export function isSafe(inode: SimulatedInode, bytes: Uint8Array): boolean {
  return (
    inode.kind === "regular" &&
    inode.data === "clean" &&
    inode.mode === 0o600 &&
    inode.durableMode === 0o600 &&
    Buffer.from(inode.durableBytes).equals(bytes)
  );
}
