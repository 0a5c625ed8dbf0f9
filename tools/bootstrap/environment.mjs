import path from "node:path";

/** What `npm run` says about itself. A tool below it that is not npm must not take it for its own settings. */
const OF_THE_CALLING_NPM =
  /^npm_(package_|lifecycle_|execpath$|node_execpath$|command$|config_(local_prefix|global_prefix|prefix)$)/;

/**
 * The environment in which everything after the set-up runs: the fetched Node and pnpm first in the search path, native
 * code built against the headers of that very Node, and no tool that calls home.
 *
 * @param {{ binDirectories: string[], nodeDirectory: string | undefined }} toolchain
 * @param {NodeJS.ProcessEnv} base
 * @returns {NodeJS.ProcessEnv}
 */
export function commandEnvironment({ binDirectories, nodeDirectory }, base = process.env) {
  const kept = Object.entries(base).filter(([name]) => !OF_THE_CALLING_NPM.test(name));
  return {
    ...Object.fromEntries(kept),
    ...addedVariables(nodeDirectory),
    PATH: [...binDirectories, base["PATH"] ?? ""].join(path.delimiter),
  };
}

/** @param {string | undefined} nodeDirectory @returns {Record<string, string>} */
export function addedVariables(nodeDirectory) {
  return {
    // node-gyp would otherwise download headers, or take those of whatever Node the user's own settings name.
    ...(nodeDirectory === undefined ? {} : { npm_config_nodedir: nodeDirectory }),
    npm_config_update_notifier: "false",
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
  };
}

/**
 * @param {{ binDirectories: string[], nodeDirectory: string | undefined }} toolchain
 * @returns {string} lines for a POSIX shell to evaluate
 */
export function shellExports({ binDirectories, nodeDirectory }) {
  const lines = Object.entries(addedVariables(nodeDirectory)).map(([name, value]) => `export ${name}=${quote(value)}`);
  return [`export PATH=${quote(binDirectories.join(path.delimiter))}:"$PATH"`, ...lines, ""].join("\n");
}

/** @param {string} text @returns {string} one word of a POSIX shell, whatever it holds */
export function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
