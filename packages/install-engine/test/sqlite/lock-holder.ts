/** Holds a lock of a journal until its standard input ends: SQLite's own, as a foreign program would, or that of this package. */
import { once } from "node:events";
import { dirname, basename } from "node:path";
import { openPinnedDirectory } from "@mesh/ffi/fs";
import Database from "better-sqlite3";

const [, , kind, path] = process.argv;
if (path === undefined) {
  throw new Error("usage: lock-holder.ts sqlite|flock JOURNAL");
}
if (kind === "sqlite") {
  const database = new Database(path);
  database.exec("BEGIN IMMEDIATE");
} else {
  const file = openPinnedDirectory(dirname(path)).openOrCreateLock(`${basename(path)}.lock`);
  while (!file.tryLock());
  Reflect.set(globalThis, "held", file);
}
console.log("held");
process.stdin.resume();
await once(process.stdin, "end");
process.exit(0);
