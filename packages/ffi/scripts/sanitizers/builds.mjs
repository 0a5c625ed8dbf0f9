// The addon once more, built with a sanitizer. Not by node-gyp: it keeps one build folder, and its Release build strips what
// a report needs to name a line.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";

const run = promisify(execFile);

export const PACKAGE_ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const NATIVE = resolve(PACKAGE_ROOT, "../../native");
const SOURCES = join(NATIVE, "addon/src");

const FLAGS = [
  ...["-std=c++20", "-g", "-O1", "-fPIC", "-pthread", "-fvisibility=hidden", "-fno-omit-frame-pointer"],
  ...["-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-DNODE_GYP_MODULE_NAME=mesh_ffi"],
  ...["-DNAPI_VERSION=8", "-DNODE_ADDON_API_DISABLE_CPP_EXCEPTIONS", "-DNODE_ADDON_API_DISABLE_DEPRECATED"],
];

/** The flags of the compiler for a sanitizer. What it finds ends the process: a report that scrolls by is none. */
export function sanitizerFlags(sanitizer) {
  return [`-fsanitize=${sanitizer}`, "-fno-sanitize-recover=all"];
}

/**
 * Compiles all of the addon into `addon`, with the headers of the Node that runs this. The sources of a face go through the
 * compiler as one, which takes a tenth of the time.
 */
export async function buildAddon(sanitizer, work, addon) {
  const node = process.env.npm_config_nodedir ?? resolve(dirname(process.execPath), "..");
  const includes = [SOURCES, join(NATIVE, "abi"), join(PACKAGE_ROOT, "node_modules/node-addon-api"), headersOf(node)];
  const flags = [...FLAGS, ...sanitizerFlags(sanitizer), ...includes.map((folder) => `-I${folder}`)];
  mkdirSync(work, { recursive: true });
  const units = ["fs", "runtime"].map((face) => {
    const unit = join(work, `${face}.cc`);
    const sources = readdirSync(join(SOURCES, face)).filter((name) => name.endsWith(".cc"));
    writeFileSync(unit, sources.map((name) => `#include "${face}/${name}"\n`).join(""));
    return unit;
  });
  const compiled = [join(SOURCES, "addon.cc"), ...units].map((unit) => ({
    unit,
    object: join(work, `${basename(unit)}.o`),
  }));
  await Promise.all(compiled.map(({ unit, object }) => run("g++", [...flags, "-c", "-o", object, unit])));
  mkdirSync(dirname(addon), { recursive: true });
  // The same promises to the loader as in binding.gyp.
  const linked = ["-shared", "-pthread", "-Wl,-Bsymbolic", "-Wl,-z,nodelete", ...sanitizerFlags(sanitizer)];
  await run("g++", [...linked, "-o", addon, ...compiled.map(({ object }) => object), "-ldl"]);
}

function headersOf(node) {
  const headers = join(node, "include/node");
  if (existsSync(join(headers, "node_api.h"))) return headers;
  throw new Error(
    `${headers} has no node_api.h: run this through tools/bootstrap, which brings the headers of its Node.`,
  );
}
