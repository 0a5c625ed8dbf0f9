import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { SetUpError } from "./error.mjs";

/**
 * flock belongs to the open file, not to the process that asked for it: Python, which the machine has to bring along
 * anyway, locks the descriptor it inherits and ends, and the lock stays with us until we close it or die. No stale lock
 * file can be left behind.
 */
const LOCK_INHERITED = `
import fcntl, sys
try:
    fcntl.flock(3, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    sys.stderr.write("[set-up] another set-up of this folder is running; waiting for it\\n")
    fcntl.flock(3, fcntl.LOCK_EX)
`;

/**
 * Runs the set-up while nobody else sets up the same folder.
 *
 * @template T
 * @param {string} file
 * @param {() => T} work
 * @returns {T}
 */
export function whileLocked(file, work) {
  const descriptor = openSync(file, "a");
  try {
    // Windows has no flock. There the set-up relies on each step being repeatable.
    if (process.platform !== "win32") lock(descriptor, file);
    return work();
  } finally {
    closeSync(descriptor);
  }
}

/** @param {number} descriptor @param {string} file */
function lock(descriptor, file) {
  const child = spawnSync("python3", ["-I", "-c", LOCK_INHERITED], {
    stdio: ["ignore", "ignore", "inherit", descriptor],
  });
  if (child.status !== 0)
    throw new SetUpError(`could not lock ${file} (python3 ended with ${child.status ?? child.signal})`);
}
