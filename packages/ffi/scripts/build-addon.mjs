// Builds the native addon of native/addon into prebuilds/<platform>-<arch>/ of this package.
//
// The headers must be those of the Node that runs this script: node-gyp otherwise takes whatever a user's .npmrc names
// (seen: the system's Node 20 headers, silently) or tries to download them.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const packageDirectory = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const addonDirectory = resolve(packageDirectory, "../../native/addon");
const binDirectory = join(packageDirectory, "node_modules/.bin");

function fail(message) {
  console.error(`build-addon: ${message}`);
  process.exit(1);
}

/** The version that the headers in a Node folder were made for, or undefined when there are none. */
function headersVersion(nodeDirectory) {
  const header = join(nodeDirectory, "include/node/node_version.h");
  if (!existsSync(header)) return undefined;
  const text = readFileSync(header, "utf8");
  const part = (name) => new RegExp(`^#define NODE_${name}_VERSION (\\d+)$`, "m").exec(text)?.[1];
  return `${part("MAJOR")}.${part("MINOR")}.${part("PATCH")}`;
}

/** The folder whose include/node holds the running Node's own headers. */
function ownHeaders() {
  const nodeDirectory = process.env.npm_config_nodedir ?? dirname(dirname(realpathSync(process.execPath)));
  const found = headersVersion(nodeDirectory);
  if (found !== process.versions.node) {
    fail(
      `expected the headers of the running Node ${process.versions.node} in ${nodeDirectory}/include/node, found ` +
        `${found ?? "none"}. Run the build through tools/bootstrap, or set npm_config_nodedir to that Node's folder.`,
    );
  }
  // As it was given: the set-up names a link where the folder's own name holds a blank, which a makefile cannot hold.
  return nodeDirectory;
}

/** What node-gyp itself says it used. */
function assertHeadersUsed(nodeDirectory) {
  const text = readFileSync(join(addonDirectory, "build/config.gypi"), "utf8");
  const used = JSON.parse(text.slice(text.indexOf("{"))).variables?.nodedir;
  if (typeof used !== "string" || realpathSync(used) !== realpathSync(nodeDirectory)) {
    fail(`node-gyp was told to use the headers of ${nodeDirectory} but used those of ${used}.`);
  }
}

if (process.platform === "win32") {
  fail("the addon does not support Windows yet; it builds on Linux and macOS.");
}

const nodeDirectory = ownHeaders();
const built = spawnSync(
  join(binDirectory, "prebuildify"),
  [
    "--napi",
    "--strip",
    ...(process.platform === "linux" ? ["--tag-libc"] : []),
    ...["--name", "@mesh/ffi", "--cwd", addonDirectory, "--out", packageDirectory],
  ],
  {
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      JOBS: process.env.JOBS ?? "max",
      PATH: `${binDirectory}${delimiter}${process.env.PATH ?? ""}`,
      npm_config_nodedir: nodeDirectory,
    },
  },
);
if (built.error !== undefined) fail(`prebuildify could not be started: ${built.error.message}`);
if (built.status !== 0) fail(`prebuildify ended with ${built.status ?? built.signal}.`);
assertHeadersUsed(nodeDirectory);
