import { cpSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

const PACKAGE = join(import.meta.dirname, "..", "..");

/**
 * A second copy of this package as built, with its own copy of the SQLite driver: what a tree with two versions has.
 *
 * @returns the path of its `./sqlite` module.
 */
export function copyPackage(directory: string): string {
  mkdirSync(join(directory, "node_modules", "@mesh"), { recursive: true });
  cpSync(join(PACKAGE, "dist"), join(directory, "dist"), { recursive: true });
  cpSync(join(PACKAGE, "package.json"), join(directory, "package.json"));
  const driver = realpathSync(join(PACKAGE, "node_modules", "better-sqlite3"));
  for (const part of ["lib", "prebuilds", "package.json"]) {
    cpSync(join(driver, part), join(directory, "node_modules", "better-sqlite3", part), { recursive: true });
  }
  for (const name of ["@mesh/ffi", "zod"]) {
    symlinkSync(realpathSync(join(PACKAGE, "node_modules", name)), join(directory, "node_modules", name));
  }
  return join(directory, "dist", "sqlite", "index.js");
}

/** The path of the `./sqlite` module of this package as built. */
export function builtModule(): string {
  return join(dirname(PACKAGE), "install-engine", "dist", "sqlite", "index.js");
}
