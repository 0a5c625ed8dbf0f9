import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TestkitError } from "../error.ts";
import type { FaultSources } from "./variants.ts";

/** Where this package is: the nearest folder upwards that has its manifest, from the source tree and from `dist` alike. */
export function packageDirectory(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, "package.json"))) directory = dirname(directory);
  return directory;
}

/** The folders that a compilation reads. */
export interface SourceTree {
  readonly abi: string;
  readonly source: string;
}

/** Finds the sources of the fault runtime beside this package in the repository. */
export function sourceTree(): SourceTree {
  const native = join(packageDirectory(), "..", "..", "native");
  const tree = { abi: join(native, "abi"), source: join(native, "fault-runtime", "src") };
  for (const directory of Object.values(tree)) {
    if (existsSync(directory)) continue;
    throw new TestkitError({
      code: "SOURCES_MISSING",
      message: `The fault runtime is built from ${directory}, which does not exist. Use this package from a checkout of the repository.`,
    });
  }
  return tree;
}

function files(directory: string, extension: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The files that a library is compiled from, in a stable order. */
export function sourceFiles(tree: SourceTree, sources: FaultSources): string[] {
  const core = files(tree.source, ".c").filter((path) => !path.endsWith("dependency.c"));
  switch (sources) {
    case "all":
      return core;
    case "all-but-tokenizer":
      return core.filter((path) => !path.endsWith("tokenizer.c"));
    case "tokenizer":
      return ["tokenizer.c", "errors.c"].map((name) => join(tree.source, name));
    case "dependency":
      return [join(tree.source, "dependency.c")];
    case "throwing":
      return [...core, join(tree.source, "throwing.cc")];
  }
}

/** Name and content of every file that can influence a library, for its key. */
export function sourceContents(tree: SourceTree): [name: string, content: Buffer][] {
  return [tree.abi, tree.source].flatMap((directory) =>
    files(directory, "").map((path): [string, Buffer] => [path.slice(directory.length), readFileSync(path)]),
  );
}
