import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/**
 * Everything that can be told of a path and of what is under it, times of change included: two of them are equal only
 * where nobody made, removed, renamed, wrote or so much as changed a mode. Times of access are left out.
 */
export function fingerprint(path: string): unknown {
  const status = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (status === undefined) return undefined;
  const { dev, ino, mode, uid, gid, nlink, size, mtimeNs, ctimeNs } = status;
  const facts = { dev, ino, mode, uid, gid, nlink, size, mtimeNs, ctimeNs };
  if (status.isSymbolicLink()) return { ...facts, leadsTo: readlinkSync(path) };
  if (status.isFile()) return { ...facts, sha256: createHash("sha256").update(readFileSync(path)).digest("hex") };
  if (!status.isDirectory()) return facts;
  const names = readdirSync(path).sort();
  return { ...facts, entries: names.map((name) => [name, fingerprint(join(path, name))]) };
}
