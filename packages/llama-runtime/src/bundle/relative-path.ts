import { RELATIVE_PATH_BYTES_MAX } from "./limits.ts";

// Control characters, the separators of Windows and what ends a drive letter: none of them belongs into a path that is
// joined to a directory on any system.
const FORBIDDEN = /[\p{Cc}\\:]/u;

/**
 * Whether a path from a manifest (attacker-controlled) may be joined to the root of a bundle: POSIX separators, normal
 * components only. A path that is not is refused, never repaired (spec section 7).
 */
export function isSafeRelativePath(path: string): boolean {
  if (path.length === 0 || Buffer.byteLength(path) > RELATIVE_PATH_BYTES_MAX || FORBIDDEN.test(path)) return false;
  return path.split("/").every((component) => component !== "" && component !== "." && component !== "..");
}
