import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "./command.mjs";
import { commandEnvironment, shellExports } from "./environment.mjs";
import { SetUpError } from "./error.mjs";
import { removeInterruptedFetches } from "./fetch.mjs";
import { build, ensureInstalled } from "./install.mjs";
import { whileLocked } from "./lock.mjs";
import { readPins } from "./pins.mjs";
import { checkPrerequisites } from "./prerequisites.mjs";
import { ensureToolchain } from "./toolchain.mjs";

export const HELP = `Usage: node tools/bootstrap/main.mjs COMMAND [ARGUMENTS...]

Sets this clone up (pinned Node and pnpm in .tools, locked dependencies, build) as far as it is not, then runs COMMAND.

  demo [ARGS]      the main job: mesh demo
  test [PACKAGES]  every check and every test, or those of the named packages
  build            nothing more than the set-up
  exec CMD [ARGS]  any command, with the pinned Node and pnpm first in PATH
  env              prints lines for a shell to evaluate; sets up everything but the build
  --help           this text
`;

const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");
const toolsDirectory = path.join(root, ".tools");

/**
 * @param {string[]} args
 * @returns {Promise<number>} exit status
 */
export async function main([command, ...rest]) {
  switch (command) {
    case "demo":
      return await ownCommand("packages/host/dist/cli.js", ["demo", ...rest]);
    case "test":
      return await ownCommand("tools/test/main.ts", rest);
    case "build":
      setUp({ withBuild: true });
      return 0;
    case "exec":
      if (rest[0] === undefined) throw new SetUpError("exec needs a command; see --help", { exitCode: 2 });
      return await anyCommand(rest[0], rest.slice(1));
    case "env":
      process.stdout.write(shellExports(setUp({ withBuild: false }).toolchain));
      return 0;
    case "--help":
    case "-h":
    case "help":
      process.stdout.write(HELP);
      return 0;
    default:
      throw new SetUpError(`${command === undefined ? "no command" : `unknown command "${command}"`}; see --help`, {
        exitCode: 2,
      });
  }
}

/** @param {{ withBuild: boolean }} options */
function setUp({ withBuild }) {
  checkPrerequisites();
  mkdirSync(toolsDirectory, { recursive: true });
  return whileLocked(path.join(toolsDirectory, "lock"), () => {
    removeInterruptedFetches(toolsDirectory);
    const fetched = ensureToolchain(toolsDirectory, readPins());
    const toolchain = { ...fetched, binDirectories: [...fetched.binDirectories, path.join(root, "node_modules/.bin")] };
    const environment = commandEnvironment(toolchain);
    ensureInstalled(root, toolchain.pnpm, environment);
    if (withBuild) build(root, toolchain.pnpm, environment);
    return { toolchain, environment };
  });
}

/** A program of this clone, run by the pinned Node. @param {string} program @param {string[]} args */
async function ownCommand(program, args) {
  const { toolchain, environment } = setUp({ withBuild: true });
  const file = path.join(root, program);
  if (!existsSync(file)) throw new SetUpError(`the build made no ${program}, which this command runs`);
  return await runCommand(toolchain.node, [file, ...args], { cwd: root, env: environment });
}

/** @param {string} command @param {string[]} args */
async function anyCommand(command, args) {
  const { environment } = setUp({ withBuild: true });
  return await runCommand(command, args, { cwd: process.cwd(), env: environment });
}
