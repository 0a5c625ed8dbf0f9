import { binding, type NativeDescriptor } from "./binding.ts";
import { succeed } from "./handle.ts";

/** What an entry is. `unknown` is anything the kernel may add. */
export type FileKind =
  | "regular"
  | "directory"
  | "symlink"
  | "fifo"
  | "socket"
  | "block-device"
  | "character-device"
  | "unknown";

/** What `fstat` or `fstatat` says of an entry, never of what a symbolic link points to. */
export interface FileStatus {
  readonly kind: FileKind;
  readonly device: bigint;
  /** Whole 64 bits: inode numbers beyond 2^53 occur, and two of them must not round to one. */
  readonly inode: bigint;
  /** The twelve permission bits: set-uid, set-gid, sticky, and read, write, execute three times. */
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
  readonly linkCount: number;
  /** In bytes; exact up to 2^53. */
  readonly size: number;
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
}

// The order of status.cc in the addon.
const KINDS: readonly FileKind[] = [
  "unknown",
  "regular",
  "directory",
  "symlink",
  "fifo",
  "socket",
  "block-device",
  "character-device",
];
const FIELD_COUNT = 10;

// One array serves every call, because each is filled and read before the next can begin.
const fields = new BigInt64Array(FIELD_COUNT);

/** @throws FileSystemError. */
export function statDescriptor(descriptor: NativeDescriptor, path: string): FileStatus {
  succeed(binding().statDescriptor(descriptor, fields), path);
  return readFields();
}

/**
 * The status of a name in a directory, undefined where there is none. The name must have been checked.
 *
 * @throws FileSystemError.
 */
export function statName(directory: NativeDescriptor, path: string, name: string): FileStatus | undefined {
  const found = succeed(binding().statName(directory, name, fields), path, name);
  return found ? readFields() : undefined;
}

function readFields(): FileStatus {
  // By index: taking the array apart by a pattern goes through its iterator, which costs as much as the call.
  return {
    kind: KINDS[Number(fields[0])] ?? "unknown",
    device: BigInt.asUintN(64, fields[1] ?? 0n),
    inode: BigInt.asUintN(64, fields[2] ?? 0n),
    mode: Number(fields[3]),
    owner: Number(fields[4]),
    group: Number(fields[5]),
    linkCount: Number(fields[6]),
    size: Number(fields[7]),
    modifiedNs: fields[8] ?? 0n,
    changedNs: fields[9] ?? 0n,
  };
}
