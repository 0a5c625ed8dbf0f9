import { FfiError } from "../error.ts";

/** All twelve permission bits. */
const MODE_MAX = 0o7777;

/** @throws FfiError `INVALID_ARGUMENT` unless the mode is within the twelve permission bits. */
export function validateMode(mode: number): number {
  if (Number.isInteger(mode) && mode >= 0 && mode <= MODE_MAX) return mode;
  throw new FfiError({
    code: "INVALID_ARGUMENT",
    message: `the mode ${mode} is not made of permission bits: expected 0 to 0o7777.`,
    mode,
  });
}
