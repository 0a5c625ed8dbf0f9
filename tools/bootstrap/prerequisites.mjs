import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { SetUpError } from "./error.mjs";

/** What the machine has to bring along; everything else is fetched at a pinned version. */
export const PREREQUISITES = ["npm", "python3", "make", "g++", "git"];

/**
 * Looks every prerequisite up in the search path, so that a missing compiler is named before anything is fetched rather
 * than in the middle of a build.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @throws {SetUpError} one line that names all that is missing
 */
export function checkPrerequisites(environment = process.env) {
  const missing = PREREQUISITES.filter((name) => findExecutable(name, environment) === undefined);
  if (missing.length === 0) return;
  throw new SetUpError(
    `missing on this machine: ${missing.join(", ")}; install ${missing.length === 1 ? "it" : "them"} ` +
      `(Debian and Ubuntu: apt-get install ${missing.join(" ")}) and run the command again`,
  );
}

/**
 * @param {string} name
 * @param {NodeJS.ProcessEnv} environment
 * @returns {string | undefined} absolute path of the first executable file of that name in the search path
 */
export function findExecutable(name, environment = process.env) {
  const suffixes = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  for (const directory of (environment["PATH"] ?? "").split(path.delimiter)) {
    // An empty part means the current directory. A tool found there is not one the machine brought along.
    if (!path.isAbsolute(directory)) continue;
    for (const suffix of suffixes) {
      const candidate = path.join(directory, name + suffix);
      if (isExecutable(candidate)) return candidate;
    }
  }
  return undefined;
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
