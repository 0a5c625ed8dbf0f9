/** The errno values the simulated disk answers with, as Linux numbers them. */
export const SIMULATED_ERRNO = {
  EPERM: 1,
  ENOENT: 2,
  EIO: 5,
  ENXIO: 6,
  EBADF: 9,
  EACCES: 13,
  EEXIST: 17,
  EXDEV: 18,
  ENOTDIR: 20,
  EISDIR: 21,
  EINVAL: 22,
  EMFILE: 24,
  ENOSPC: 28,
  EROFS: 30,
  EMLINK: 31,
  ENAMETOOLONG: 36,
  ENOTEMPTY: 39,
  ELOOP: 40,
  ESTALE: 116,
  EDQUOT: 122,
} as const;

/** Name of an errno that the simulated disk knows. */
export type SimulatedErrnoName = keyof typeof SIMULATED_ERRNO;

/** A failed system call of the simulated disk: the same fields that the real one's error has. */
export class SimulatedSystemError extends Error {
  override readonly name = "SimulatedSystemError";
  readonly errnoName: SimulatedErrnoName;
  readonly errno: number;
  readonly syscall: string;
  readonly path: string;

  constructor(errnoName: SimulatedErrnoName, syscall: string, path: string) {
    super(`${errnoName}: ${syscall} ${path}`);
    this.errnoName = errnoName;
    this.errno = SIMULATED_ERRNO[errnoName];
    this.syscall = syscall;
    this.path = path;
  }
}
