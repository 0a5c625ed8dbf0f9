import { applyOperation, type SimulatedDisk } from "./disk.ts";
import type { SimulatedInode } from "./inode.ts";

/** What a power cut leaves of bytes that were never synced. */
export type DataLoss = "none" | "partial" | "nul" | "full";

/** All of {@link DataLoss}. */
export const DATA_LOSSES: readonly DataLoss[] = ["none", "partial", "nul", "full"];

/** One way in which a power cut can end. */
export interface PowerLoss {
  /** For each pending directory operation, whether it reached the disk. */
  readonly operations: readonly boolean[];
  /** For each inode with unsynced bytes, what is left of them. */
  readonly data: ReadonlyMap<number, DataLoss>;
  /** Inodes whose mode falls back to the one on the disk. */
  readonly oldModes: ReadonlySet<number>;
}

/** Numbers in [0, bound): the source of choices, exhaustive or random. */
export type Choose = (bound: number) => number;

/** Inodes that a name may still lead to after the cut and whose bytes are not all on the disk. */
export function unsyncedData(disk: SimulatedDisk): SimulatedInode[] {
  return reachable(disk).filter((inode) => inode.data !== "clean");
}

/** Inodes whose mode is not on the disk. */
export function unsyncedModes(disk: SimulatedDisk): SimulatedInode[] {
  return reachable(disk).filter((inode) => inode.mode !== inode.durableMode);
}

/** Makes one power loss out of choices. */
export function choosePowerLoss(disk: SimulatedDisk, choose: Choose): PowerLoss {
  const operations = disk.pending.map(() => choose(2) === 1);
  const data = new Map<number, DataLoss>();
  for (const inode of unsyncedData(disk)) {
    data.set(inode.number, DATA_LOSSES[choose(DATA_LOSSES.length)] ?? "none");
  }
  const oldModes = new Set<number>();
  for (const inode of unsyncedModes(disk)) {
    if (choose(2) === 1) {
      oldModes.add(inode.number);
    }
  }
  return { operations, data, oldModes };
}

/** Every way in which a power cut can end now. Their number grows as 2^operations × 4^files × 2^modes. */
export function* everyPowerLoss(disk: SimulatedDisk): Generator<PowerLoss> {
  const bounds = [
    ...disk.pending.map(() => 2),
    ...unsyncedData(disk).map(() => DATA_LOSSES.length),
    ...unsyncedModes(disk).map(() => 2),
  ];
  const total = bounds.reduce((product, bound) => product * bound, 1);
  for (let combination = 0; combination < total; combination += 1) {
    let rest = combination;
    yield choosePowerLoss(disk, (bound) => {
      const digit = rest % bound;
      rest = Math.floor(rest / bound);
      return digit;
    });
  }
}

/** The disk as the next boot finds it: what was chosen is on the disk, everything else never was. */
export function afterPowerLoss(disk: SimulatedDisk, loss: PowerLoss): SimulatedDisk {
  const next = disk.clone();
  const names = new Map(disk.durableNames);
  for (const [index, operation] of disk.pending.entries()) {
    if (loss.operations[index] === true) {
      applyOperation(names, operation);
    }
  }
  next.names = names;
  next.durableNames = new Map(names);
  next.pending = [];
  next.forgottenDirectories = new Set();
  for (const inode of next.inodes.values()) {
    settleInode(inode, loss);
  }
  next.dropUnreachable();
  return next;
}

function settleInode(inode: SimulatedInode, loss: PowerLoss): void {
  // Files that never were on the disk together may have been shown under one number: nobody remembers it now.
  inode.shownNumber = inode.number;
  inode.bytes = remaining(inode, loss.data.get(inode.number));
  inode.durableBytes = inode.bytes;
  inode.data = "clean";
  if (loss.oldModes.has(inode.number)) {
    inode.mode = inode.durableMode;
  }
  inode.durableMode = inode.mode;
}

function remaining(inode: SimulatedInode, loss: DataLoss | undefined): Uint8Array {
  if (inode.data === "clean") {
    return inode.bytes;
  }
  switch (loss) {
    case undefined:
    case "none":
      return inode.durableBytes;
    case "partial":
      return inode.bytes.subarray(0, Math.ceil(inode.bytes.length / 2));
    case "nul":
      return new Uint8Array(inode.bytes.length);
    case "full":
      return inode.bytes;
  }
}

function reachable(disk: SimulatedDisk): SimulatedInode[] {
  const numbers = new Set(disk.durableNames.values());
  for (const operation of disk.pending) {
    if (operation.kind !== "remove") {
      numbers.add(operation.inode);
    }
  }
  return [...numbers].sort((left, right) => left - right).map((number) => disk.inode(number));
}
