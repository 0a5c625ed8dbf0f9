import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { TestkitError } from "../error.ts";
import { type SourceTree, sourceFiles } from "./sources.ts";
import type { FaultLibrary } from "./variants.ts";

const run = promisify(execFile);

const COMPILER = "cc";
const COMPILER_OUTPUT_BYTES_MAX = 1 << 20;

/** Flags of every library. Part of the key, so that changing one builds anew. */
export const COMPILER_FLAGS = [
  "-D_GNU_SOURCE",
  "-O1",
  "-fPIC",
  "-shared",
  "-fvisibility=hidden",
  "-fexceptions",
  "-Wall",
  "-Wextra",
  "-Werror",
  "-pthread",
] as const;

const MACOS = process.platform === "darwin";

/** What the system calls a library of this name. */
export function libraryFileName(name: string): string {
  return `lib${name}.${MACOS ? "dylib" : "so"}`;
}

async function compiler(parameters: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run(COMPILER, parameters, { maxBuffer: COMPILER_OUTPUT_BYTES_MAX });
    return stdout;
  } catch (cause) {
    const missing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    if (missing) {
      throw new TestkitError({
        code: "COMPILER_MISSING",
        message: `The fault runtimes are compiled by tests and need the C compiler "${COMPILER}". Install one (Debian: apt-get install build-essential).`,
        cause,
      });
    }
    const output = cause instanceof Error && "stderr" in cause ? String(cause.stderr) : "";
    throw new TestkitError({
      code: "COMPILATION_FAILED",
      message: `"${COMPILER}" could not build a fault runtime:\n${output}`,
      cause,
      output,
    });
  }
}

/** The compiler's own description, for the key. */
export async function compilerIdentity(): Promise<string> {
  return compiler(["--version"]);
}

/** Flags that belong to one library: its macros, the functions it lacks, the libraries it needs. */
function libraryFlags(library: FaultLibrary, directory: string): string[] {
  const origin = MACOS ? "@loader_path" : "$ORIGIN";
  return [
    ...Object.entries(library.defines ?? {}).map(([name, value]) => `-D${name}=${value}`),
    // A function is left out by giving it another name, which keeps every caller inside the library intact.
    ...(library.absent ?? []).map((symbol) => `-D${symbol}=absent_${symbol}`),
    ...(library.needs ?? []).flatMap((needed) => [`-L${directory}`, `-l${needed}`, `-Wl,-rpath,${origin}`]),
    ...(MACOS ? [`-Wl,-install_name,@rpath/${libraryFileName(library.name)}`] : []),
  ];
}

/**
 * Compiles one library into the folder. All C files go through the compiler as one, which takes a fifth of the time: tests
 * build dozens of variants.
 */
export async function compileLibrary(
  tree: SourceTree,
  library: FaultLibrary,
  directory: string,
  flags: readonly string[],
): Promise<void> {
  const sources = sourceFiles(tree, library.sources);
  const throwing = sources.filter((path) => path.endsWith(".cc"));
  const unit = join(directory, `${library.name}.c`);
  const included = sources.filter((path) => path.endsWith(".c"));
  await writeFile(unit, included.map((path) => `#include ${JSON.stringify(path)}\n`).join(""));
  await compiler([
    ...COMPILER_FLAGS,
    ...flags,
    `-I${tree.abi}`,
    `-I${tree.source}`,
    "-o",
    join(directory, libraryFileName(library.name)),
    unit,
    ...throwing,
    ...libraryFlags(library, directory),
    ...(throwing.length > 0 ? [MACOS ? "-lc++" : "-lstdc++"] : []),
  ]);
}
