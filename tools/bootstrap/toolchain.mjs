import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { quote } from "./environment.mjs";
import { SetUpError } from "./error.mjs";
import { fetchPackage } from "./fetch.mjs";
import { headersFolder } from "./headers.mjs";
import { platformKey, satisfies } from "./platform.mjs";

/**
 * @typedef {{ node: string, pnpm: string, binDirectories: string[], nodeDirectory: string | undefined }} Toolchain
 *   `node` and `pnpm` are absolute paths of executables; `nodeDirectory` is a folder whose include/ holds the headers
 *   of that Node, undefined where its package brings none (Windows)
 */

/**
 * The pinned Node and pnpm, fetched where they are not there yet.
 *
 * @param {string} toolsDirectory ignored folder inside the clone
 * @param {import("./pins.mjs").Pins} pins
 * @returns {Toolchain}
 */
export function ensureToolchain(toolsDirectory, pins) {
  const { node, directory } = ensureNode(toolsDirectory, pins);
  const pnpmDirectory = path.join(toolsDirectory, `pnpm-${pins.pnpm.version}`);
  const entry = path.join("bin", "pnpm.cjs");
  fetchPackage({
    spec: `pnpm@${pins.pnpm.version}`,
    integrity: pins.pnpm.integrity,
    destination: pnpmDirectory,
    entry,
  });
  const shims = path.join(toolsDirectory, "bin");
  const pnpm = writeShim(shims, node, path.join(pnpmDirectory, entry));
  const hasHeaders = existsSync(path.join(directory, "include/node/node_api.h"));
  return {
    node,
    pnpm,
    binDirectories: [shims, path.dirname(node)],
    nodeDirectory: hasHeaders ? headersFolder(directory) : undefined,
  };
}

/** @param {string} toolsDirectory @param {import("./pins.mjs").Pins} pins */
function ensureNode(toolsDirectory, pins) {
  const key = platformKey();
  const pin = pins.node.packages[key];
  if (pin === undefined) return runningNode(key, pins.node.supported);
  const version = pin.version ?? pins.node.version;
  const directory = path.join(toolsDirectory, `node-${version}-${key}`);
  const entry = path.join("bin", process.platform === "win32" ? "node.exe" : "node");
  fetchPackage({ spec: `${pin.name}@${version}`, integrity: pin.integrity, destination: directory, entry });
  return { node: path.join(directory, entry), directory };
}

/** Where the registry has no Node for a platform, the running one has to do. @param {string} key @param {string} range */
function runningNode(key, range) {
  if (!satisfies(process.versions.node, range)) {
    throw new SetUpError(
      `the registry has no pinned Node for ${key}, and the running ${process.version} is not in "${range}"; ` +
        `install a Node in that range and run the command again`,
    );
  }
  const up = process.platform === "win32" ? ".." : "../..";
  return { node: process.execPath, directory: path.resolve(process.execPath, up) };
}

/**
 * pnpm as a command of its own name, for tools that look it up in the search path (turbo does). It names the fetched
 * Node itself, so it also works outside the prepared environment.
 *
 * @param {string} directory @param {string} node @param {string} entry
 */
function writeShim(directory, node, entry) {
  mkdirSync(directory, { recursive: true });
  if (process.platform === "win32") {
    return writeIfChanged(path.join(directory, "pnpm.cmd"), `@"${node}" "${entry}" %*\r\n`);
  }
  return writeIfChanged(path.join(directory, "pnpm"), `#!/bin/sh\nexec ${quote(node)} ${quote(entry)} "$@"\n`);
}

/** @param {string} file @param {string} content */
function writeIfChanged(file, content) {
  if (existsSync(file) && readFileSync(file, "utf8") === content) return file;
  const next = `${file}.${process.pid}`;
  writeFileSync(next, content, { mode: 0o755 });
  renameSync(next, file);
  return file;
}
