/** An ABI version as the runtime reports it: three unsigned 32-bit numbers. */
export interface AbiVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/**
 * The one ABI version that is admitted. Lower and higher patches are refused alike: struct layouts and signatures may change
 * between any two of them (spec 1.1).
 */
export const REQUIRED_ABI_VERSION: AbiVersion = { major: 0, minor: 1, patch: 54 };

/** `0.1.54`: the form in which manifests and messages write an ABI version. */
export function formatAbiVersion(version: AbiVersion): string {
  return `${version.major}.${version.minor}.${version.patch}`;
}
