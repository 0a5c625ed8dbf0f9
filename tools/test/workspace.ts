import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");

/** The fields of a package.json that the checks read. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface WorkspacePackage {
  readonly name: string;
  /** Relative to the root, with "/" between the parts. */
  readonly path: string;
  readonly manifest: Manifest;
}

/** Where packages live; the same folders that pnpm-workspace.yaml names. */
const PACKAGE_FOLDERS = ["packages", "native"];

export function workspacePackages(root = ROOT): WorkspacePackage[] {
  return PACKAGE_FOLDERS.flatMap((folder) => {
    const names = readdirSync(path.join(root, folder)).sort();
    return names
      .filter((name) => existsSync(path.join(root, folder, name, "package.json")))
      .map((name) => {
        const manifest = readManifest(path.join(root, folder, name, "package.json"));
        return { name: manifest.name, path: `${folder}/${name}`, manifest };
      });
  });
}

export function readManifest(file: string): Manifest {
  const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isManifest(parsed)) throw new Error(`${file} has no name`);
  return parsed;
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === "object" && value !== null && "name" in value && typeof value.name === "string";
}

/** Folders that hold what was made or fetched, not what was written. */
const NOT_SOURCE = new Set([
  "node_modules",
  "dist",
  "build",
  "prebuilds",
  "bundle",
  "coverage",
  ".turbo",
  ".tools",
  ".git",
]);

/** Every written file below a folder, relative to the root, sorted. */
export function filesBelow(folder: string, root = ROOT): string[] {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const relative = `${folder}/${entry.name}`;
      // tools/build is written by hand: only a build folder inside a package is made.
      if (entry.isDirectory())
        return NOT_SOURCE.has(entry.name) && folder !== "tools" ? [] : filesBelow(relative, root);
      return entry.isFile() ? [relative] : [];
    });
}
