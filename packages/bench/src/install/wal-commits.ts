import { readFileSync } from "node:fs";

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * How many transactions a write-ahead log holds, read from its bytes (SQLite file format, section 4): the last frame of each
 * has the size of the database in it, every other frame has 0. Nobody who counts is asked.
 *
 * The log may be read in the process that has the database open: SQLite's locks are on the database and the shared memory.
 */
export function walCommits(path: string): number {
  const wal = readFileSync(path);
  if (wal.length < WAL_HEADER_BYTES) return 0;
  const pageBytes = wal.readUInt32BE(8);
  const salts = wal.subarray(16, 24);
  let commits = 0;
  for (let at = WAL_HEADER_BYTES; at + FRAME_HEADER_BYTES <= wal.length; at += FRAME_HEADER_BYTES + pageBytes) {
    // A frame with other salts is left over from before the log was started again.
    if (!wal.subarray(at + 8, at + 16).equals(salts)) break;
    if (wal.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
}
