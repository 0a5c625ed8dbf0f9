/** A thread that reads a file into memory, a piece at a time, and ends. */
import { openSync, readSync, statSync } from "node:fs";
import { workerData } from "node:worker_threads";

const PIECE_BYTES = 2 ** 20;

// Given by read-program.ts.
const { path } = workerData as { path: string };
const file = openSync(path, "r");
const memory = new Uint8Array(statSync(path).size);
for (let at = 0; at < memory.length; ) at += readSync(file, memory, at, Math.min(PIECE_BYTES, memory.length - at), at);
