import { spawn } from "node:child_process";
import { constants } from "node:os";
import { SetUpError } from "./error.mjs";

/**
 * Runs the command the set-up was for, with the terminal as it is, and ends as it ends.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<number>} exit status; 128 + the number of the signal where one ended it, as a shell says it
 */
export function runCommand(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: "inherit" });
    // The terminal sends these to the whole group. We stay until the command has ended, to report how.
    for (const signal of /** @type {const} */ (["SIGINT", "SIGHUP"])) process.on(signal, () => {});
    process.on("SIGTERM", () => child.kill("SIGTERM"));
    child.on("error", (cause) =>
      reject(new SetUpError(`could not start ${command}: ${cause.message}`, { cause, exitCode: 127 })),
    );
    child.on("close", (status, signal) => {
      resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
