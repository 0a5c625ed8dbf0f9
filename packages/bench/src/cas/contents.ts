import { randomBytes } from "node:crypto";

/** So many contents that no store has yet, each of so many bytes. */
export function newContents(count: number, bytes: number): readonly Uint8Array[] {
  return Array.from({ length: count }, () => randomBytes(bytes));
}
