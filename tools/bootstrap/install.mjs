import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SetUpError } from "./error.mjs";
import { say } from "./progress.mjs";
import { STAMP_FILE, installationStamp, isInstalled } from "./stamp.mjs";

/**
 * Installs exactly what the lock file names, unless that is what is there.
 *
 * @param {string} root
 * @param {string} pnpm
 * @param {NodeJS.ProcessEnv} environment
 */
export function ensureInstalled(root, pnpm, environment) {
  if (isInstalled(root)) return;
  say("installing the dependencies the lock file names");
  // First, so that an interrupted installation is never taken for a finished one.
  rmSync(path.join(root, STAMP_FILE), { force: true });
  run(pnpm, ["install", "--frozen-lockfile", "--prefer-offline", "--reporter=append-only"], {
    root,
    // pnpm asks before it replaces a node_modules folder of another layout; nobody is there to answer.
    environment: { ...environment, CI: "true" },
    failure: "the dependencies could not be installed",
  });
  const stamp = installationStamp(root);
  if (stamp === undefined)
    throw new SetUpError("pnpm reported success but node_modules is not complete; remove it and run the command again");
  writeFileSync(path.join(root, STAMP_FILE), stamp);
}

/**
 * Builds every package; what did not change comes from the cache.
 *
 * @param {string} root
 * @param {string} pnpm
 * @param {NodeJS.ProcessEnv} environment
 */
export function build(root, pnpm, environment) {
  say("building what has changed (all of it, native code included, the first time: a few minutes)");
  run(pnpm, ["exec", "turbo", "run", "build", "--ui=stream", "--output-logs=errors-only", "--concurrency=100%"], {
    root,
    environment,
    failure: "the build failed",
  });
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ root: string, environment: NodeJS.ProcessEnv, failure: string }} options
 */
function run(command, args, { root, environment, failure }) {
  // The output goes to standard error: standard output belongs to the command that follows the set-up.
  const child = spawnSync(command, args, {
    cwd: root,
    env: environment,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (child.status === 0) return;
  const how = child.error?.message ?? child.signal ?? `exit ${child.status}`;
  throw new SetUpError(`${failure} (${how}); the lines above say why`, {
    cause: child.error,
    exitCode: child.status ?? 1,
  });
}
