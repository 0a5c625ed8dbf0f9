import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { SetUpError } from "./error.mjs";
import { say } from "./progress.mjs";
import { readTar } from "./tar.mjs";

/** Left in an unpacked package: the integrity it was checked against. Written before the folder gets its name. */
const VERIFIED_FILE = ".verified";
/** Prefix of the folders a fetch works in; what an interrupted run left behind under it is removed by the next one. */
export const WORK_PREFIX = "fetch-";

/**
 * Puts a registry package, checked against its pin, into a folder. The folder appears by one rename: it is whole or not
 * there, whatever interrupts the run.
 *
 * @param {{ spec: string, integrity: string, destination: string, entry: string }} request
 *   `spec` is anything `npm pack` takes; `entry` a file that a whole package has
 * @throws {SetUpError} nothing is left behind
 */
export function fetchPackage({ spec, integrity, destination, entry }) {
  if (isComplete(destination, integrity, entry)) return;
  const work = mkdtempSync(path.join(path.dirname(destination), WORK_PREFIX));
  try {
    say(`fetching ${spec}`);
    const archive = readFileSync(pack(spec, work));
    const found = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
    if (found !== integrity) {
      throw new SetUpError(
        `${spec} is not the pinned package: expected ${integrity}, found ${found}; nothing was unpacked`,
      );
    }
    const stage = path.join(work, "unpacked");
    unpack(gunzipSync(archive), stage);
    writeFileSync(path.join(stage, VERIFIED_FILE), integrity);
    rmSync(destination, { recursive: true, force: true });
    renameSync(stage, destination);
    say(`unpacked ${spec} (${(archive.length / 1e6).toFixed(1)} MB, sha512 as pinned)`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} directory where interrupted fetches may have left their work folders */
export function removeInterruptedFetches(directory) {
  for (const name of readdirSync(directory)) {
    if (name.startsWith(WORK_PREFIX)) rmSync(path.join(directory, name), { recursive: true, force: true });
  }
}

/** @param {string} destination @param {string} integrity @param {string} entry */
function isComplete(destination, integrity, entry) {
  const mark = path.join(destination, VERIFIED_FILE);
  return existsSync(path.join(destination, entry)) && existsSync(mark) && readFileSync(mark, "utf8") === integrity;
}

/**
 * npm fetches: it knows the registry, the proxy and the credentials of this machine, and the set-up needs to know none.
 *
 * @param {string} spec
 * @param {string} work
 * @returns {string} path of the packed archive
 */
function pack(spec, work) {
  const options = ["--pack-destination", work, "--ignore-scripts", "--prefer-offline", "--loglevel=error"];
  const child = spawnSync("npm", ["pack", spec, ...options], {
    cwd: work,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const archives = readdirSync(work).filter((name) => name.endsWith(".tgz"));
  if (child.status !== 0 || archives[0] === undefined) {
    const said = child.stderr.trim().split("\n").slice(0, 3).join("; ");
    throw new SetUpError(
      `npm could not fetch ${spec} (exit ${child.status ?? child.error?.message}): ${said || "no message"}; ` +
        `the first set-up needs the package registry or a filled npm cache`,
    );
  }
  return path.join(work, archives[0]);
}

/** @param {Buffer} archive @param {string} directory */
function unpack(archive, directory) {
  for (const { path: relative, executable, content } of readTar(archive)) {
    const file = path.join(directory, ...relative.split("/"));
    mkdirSync(path.dirname(file), { recursive: true });
    // "wx": two entries of one name are refused, the second never replaces the first.
    writeFileSync(file, content, { mode: executable ? 0o755 : 0o644, flag: "wx" });
  }
}
