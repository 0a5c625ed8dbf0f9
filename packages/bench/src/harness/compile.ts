import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BenchError } from "./error.ts";
import { BUILD_DIRECTORY, makeBuildDirectory } from "./folder.ts";

/** The folder of all native sources of the repository. */
export const NATIVE_DIRECTORY = fileURLToPath(new URL("../../../../native/", import.meta.url));

/** Flags of everything native that a bench compiles: a peer is built no worse than our own side. */
const COMMON_FLAGS = ["-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread"];

/** Flags of an addon. */
const ADDON_FLAGS = [
  "-fPIC",
  "-shared",
  "-fvisibility=hidden",
  "-DNODE_GYP_MODULE_NAME=bench",
  "-DNAPI_VERSION=8",
  "-Wl,-Bsymbolic",
];

/** Something to compile. Paths are relative to {@link NATIVE_DIRECTORY}. */
export interface NativeTarget {
  readonly name: string;
  readonly kind: "program" | "addon";
  readonly sources: readonly string[];
  /** Folders to find headers in; their files belong to what decides whether to compile again. */
  readonly includes?: readonly string[];
  readonly flags?: readonly string[];
}

/** The folder with Node's own headers: the one a bootstrap names, else the one beside the running Node. */
function nodeHeaders(): string {
  const directory = process.env["npm_config_nodedir"] ?? dirname(dirname(process.execPath));
  return join(directory, "include", "node");
}

function filesBelow(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .sort();
}

/**
 * Compiles a target unless that was done from the same sources, and gives the path of what was made.
 *
 * @throws BenchError `NOT_BUILT`
 */
export function compileOnce({ name, kind, sources, includes = [], flags = [] }: NativeTarget): string {
  const inputs = sources.map((source) => join(NATIVE_DIRECTORY, source));
  const folders = includes.map((include) => join(NATIVE_DIRECTORY, include));
  const options = [...COMMON_FLAGS, ...(kind === "addon" ? ADDON_FLAGS : []), ...flags];
  const hash = createHash("sha256").update(options.join(" ")).update(process.version);
  for (const file of [...inputs, ...folders.flatMap(filesBelow)]) hash.update(file).update(readFileSync(file));
  const suffix = kind === "addon" ? ".node" : "";
  const target = join(BUILD_DIRECTORY, `${name}-${hash.digest("hex").slice(0, 16)}${suffix}`);
  if (existsSync(target)) return target;
  makeBuildDirectory();
  const building = `${target}.${process.pid}`;
  // Node's headers are not ours to warn about.
  const headers = ["-isystem", nodeHeaders(), ...folders.map((path) => `-I${path}`)];
  try {
    execFileSync("c++", [...options, ...headers, "-o", building, ...inputs], { stdio: ["ignore", "ignore", "pipe"] });
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : String(cause);
    throw new BenchError({ code: "NOT_BUILT", message: `${name} could not be compiled: ${found}`, cause });
  }
  renameSync(building, target);
  return target;
}
