import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { COMPILER_FLAGS, compileLibrary, compilerIdentity, libraryFileName } from "./compile.ts";
import { packageDirectory, type SourceTree, sourceContents, sourceTree } from "./sources.ts";
import { FAULT_VARIANTS, type FaultVariant, type FaultVariantName } from "./variants.ts";

/** How many hexadecimal digits of the key are in a folder's name. */
const KEY_DIGITS = 16;

/** A built runtime. */
export interface FaultRuntime {
  /** Absolute paths in load order, the primary last: what a host passes to its loader. */
  readonly libraries: string[];
}

/** How a runtime is built where that is not the ordinary way. */
export interface FaultRuntimeOptions {
  /** Further flags for compiler and linker: those of a sanitizer. The process that loads the library has to bring its run time. */
  readonly flags?: readonly string[];
}

/** Everything a build depends on, as one digest: sources, flags, compiler, and the variant's own description. */
async function buildKey(tree: SourceTree, variant: FaultVariant, flags: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  const add = (text: string | Buffer): void => {
    hash.update(`${text.length}:`).update(text);
  };
  add(await compilerIdentity());
  add([...COMPILER_FLAGS, ...flags].join(" "));
  add(JSON.stringify(variant));
  for (const [name, content] of sourceContents(tree)) {
    add(name);
    add(content);
  }
  return hash.digest("hex").slice(0, KEY_DIGITS);
}

async function spoil(directory: string, { library, how }: NonNullable<FaultVariant["spoil"]>): Promise<void> {
  const path = join(directory, libraryFileName(library));
  switch (how) {
    case "remove":
      return rm(path);
    case "truncate":
      return truncate(path, Math.floor((await readFile(path)).length / 2));
    case "replace-by-text":
      return writeFile(path, "This file has a library's name and is none.\n".repeat(100));
  }
}

async function buildInto(
  tree: SourceTree,
  variant: FaultVariant,
  directory: string,
  flags: readonly string[],
): Promise<void> {
  for (const library of variant.libraries) await compileLibrary(tree, library, directory, flags);
  if (variant.spoil !== undefined) await spoil(directory, variant.spoil);
}

/**
 * Publishes a finished folder under its final name. Several test workers may build the same variant at once: the first
 * rename wins, and since the name holds the key of everything that went in, the others' folders are the same.
 */
async function publish(built: string, directory: string): Promise<void> {
  try {
    await rename(built, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
    await rm(built, { recursive: true });
  }
}

/**
 * Compiles a scripted native runtime, or finds the one compiled before: the folder, under this package's ignored `build`,
 * is named for the digest of all inputs. Needs a C compiler named `cc`.
 *
 * @throws TestkitError `COMPILER_MISSING`, `COMPILATION_FAILED`, `SOURCES_MISSING`
 */
export async function buildFaultRuntime(
  name: FaultVariantName,
  { flags = [] }: FaultRuntimeOptions = {},
): Promise<FaultRuntime> {
  const tree = sourceTree();
  const variant: FaultVariant = FAULT_VARIANTS[name];
  const key = await buildKey(tree, variant, flags);
  const directory = join(packageDirectory(), "build", "fault-runtimes", `${name}-${key}`);
  if (!existsSync(directory)) {
    await mkdir(dirname(directory), { recursive: true });
    const building = await mkdtemp(`${directory}.building-`);
    try {
      await buildInto(tree, variant, building, flags);
      await publish(building, directory);
    } catch (error) {
      await rm(building, { recursive: true, force: true });
      throw error;
    }
  }
  const unlisted = new Set(variant.unlisted ?? []);
  return {
    libraries: variant.libraries
      .filter((library) => !unlisted.has(library.name))
      .map((library) => join(directory, libraryFileName(library.name))),
  };
}
