import { existsSync } from "node:fs";
import path from "node:path";
import { filesBelow, ROOT } from "../test/workspace.ts";

/** C and C++ that is compiled alike, and how. */
export interface NativeFolder {
  readonly name: string;
  /** Relative to the root. */
  readonly sources: readonly string[];
  readonly flags: readonly string[];
  /** Whether the sources go through the compiler as one: most of the time goes into the headers that all of them include. */
  readonly together: boolean;
}

/** Every file of C or C++ that this repository holds, relative to the root. */
export function nativeFiles(): string[] {
  return ["native", "packages"].flatMap((folder) => filesBelow(folder)).filter((file) => /\.(c|cc|h)$/.test(file));
}

/** The folders with their compiler flags: headers that are not ours are given as the system's, and are not looked at. */
export function nativeFolders(): NativeFolder[] {
  const files = nativeFiles().filter((file) => !file.endsWith(".h"));
  const below = (...folders: string[]): string[] =>
    files.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)));
  const addon = ["-std=c++20", "-D_GNU_SOURCE", "-DNAPI_VERSION=8", ...include("native/addon/src", "native/abi")];
  const node = ["-isystem", nodeHeaders()];
  const llama = "native/llama-runtime/build/llama.cpp-v0.4.0";
  const addonFlags = [
    ...addon,
    ...["-DNODE_ADDON_API_DISABLE_CPP_EXCEPTIONS", "-DNODE_ADDON_API_DISABLE_DEPRECATED"],
    ...["-DNODE_GYP_MODULE_NAME=mesh_ffi", "-isystem", built("packages/ffi/node_modules/node-addon-api"), ...node],
  ];
  const faces = ["native/addon/src/fs", "native/addon/src/runtime"];
  return [
    ...faces.map((face) => ({ name: face, sources: below(face), flags: addonFlags, together: true })),
    {
      name: "the rest of the addon, and what benches and tests compile of it",
      sources: below("native/addon", "native/bench", "packages/ffi").filter(
        (file) => !faces.some((face) => file.startsWith(`${face}/`)),
      ),
      flags: addonFlags,
      together: false,
    },
    {
      name: "the llama runtime",
      sources: below("native/llama-runtime/src"),
      flags: [
        ...["-std=c++20", "-DNDEBUG", ...include("native/llama-runtime/src", "native/abi")],
        ...["-isystem", built(`${llama}/include`), "-isystem", built(`${llama}/ggml/include`)],
      ],
      together: false,
    },
    {
      name: "the fault runtime and the checks in C",
      sources: below("native/fault-runtime", "native/llama-runtime/test").filter((file) => file.endsWith(".c")),
      flags: ["-std=c11", "-D_GNU_SOURCE", ...include("native/fault-runtime/src", "native/abi")],
      together: false,
    },
    {
      name: "what throws",
      sources: below("native/fault-runtime").filter((file) => file.endsWith(".cc")),
      flags: ["-std=c++20", "-D_GNU_SOURCE", ...include("native/fault-runtime/src", "native/abi")],
      together: false,
    },
  ];
}

function include(...folders: string[]): string[] {
  return folders.map((folder) => `-I${folder}`);
}

function nodeHeaders(): string {
  return path.join(process.env["npm_config_nodedir"] ?? path.resolve(process.execPath, "../.."), "include/node");
}

function built(folder: string): string {
  if (existsSync(path.join(ROOT, folder))) return folder;
  throw new Error(`${folder} is not there: install and build first (tools/bootstrap does both)`);
}
