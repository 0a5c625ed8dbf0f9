import type { SimulatedErrnoName } from "@mesh/testkit/simulated-disk";
import type { Effect } from "../../src/effects.ts";

const ANY_CALL = ["EIO", "ESTALE"] as const;
const NO_ROOM = ["ENOSPC", "EDQUOT"] as const;
const NOT_ALLOWED = ["EACCES", "EPERM", "EROFS"] as const;
const BY_NAME = ["ELOOP", "ENAMETOOLONG"] as const;

/**
 * Which of the errors of a failing disk apply to which system call, after POSIX, the manual pages of Linux and what its
 * file systems return:
 *
 * - EIO and ESTALE (a network file system's server forgot the file) from any call that reaches the disk;
 * - ENOSPC and EDQUOT from what needs room: bytes, names, and their delayed allocation when they are synced or closed;
 * - EACCES and EPERM (immutable or append-only entries, protected_hardlinks) and EROFS (a file system that the kernel turned
 *   read-only after an error) from what changes, EACCES and EPERM also from opening;
 * - EMLINK and EXDEV from a second name; EMFILE from a new descriptor; ELOOP and ENAMETOOLONG from a lookup by name.
 */
export const APPLICABLE: Readonly<Record<Effect["kind"], readonly SimulatedErrnoName[]>> = {
  create: [...ANY_CALL, ...NO_ROOM, ...NOT_ALLOWED, ...BY_NAME, "EMFILE"],
  createLock: [...ANY_CALL, ...NO_ROOM, ...NOT_ALLOWED, ...BY_NAME, "EMFILE"],
  makeDirectory: [...ANY_CALL, ...NO_ROOM, ...NOT_ALLOWED, ...BY_NAME, "EMLINK"],
  link: [...ANY_CALL, ...NO_ROOM, ...NOT_ALLOWED, ...BY_NAME, "EMLINK", "EXDEV"],
  rename: [...ANY_CALL, ...NO_ROOM, ...NOT_ALLOWED, ...BY_NAME, "EMLINK", "EXDEV"],
  unlink: [...ANY_CALL, ...NOT_ALLOWED, ...BY_NAME],
  removeLock: [...ANY_CALL, ...NOT_ALLOWED, ...BY_NAME],
  setMode: [...ANY_CALL, "EPERM", "EROFS"],
  write: [...ANY_CALL, ...NO_ROOM, "EPERM"],
  syncFile: [...ANY_CALL, ...NO_ROOM, "EROFS"],
  syncDirectory: [...ANY_CALL, ...NO_ROOM, "EROFS"],
  lock: ANY_CALL,
  open: [...ANY_CALL, "EACCES", "EPERM", ...BY_NAME, "EMFILE"],
  openDirectory: [...ANY_CALL, "EACCES", ...BY_NAME, "EMFILE"],
  stat: [...ANY_CALL, "EACCES", ...BY_NAME],
  statHandle: ANY_CALL,
  statRoot: [...ANY_CALL, "EACCES", ...BY_NAME],
  read: ANY_CALL,
  dropCachedPages: [],
  startWriteback: [],
  list: ANY_CALL,
  close: [...ANY_CALL, ...NO_ROOM],
};
