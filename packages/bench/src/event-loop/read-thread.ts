/** A thread that fills memory evenly over a time and ends. */
import { workerData } from "node:worker_threads";

const PIECE_BYTES = 10_000_000;

// Given by fill-program.ts.
const { bytes, milliseconds } = workerData as { bytes: number; milliseconds: number };
const cell = new Int32Array(new SharedArrayBuffer(4));
const pieces: Uint8Array[] = [];
const start = performance.now();
for (let filled = 0; filled < bytes; filled += PIECE_BYTES) {
  pieces.push(new Uint8Array(PIECE_BYTES).fill(1));
  const ahead = start + (milliseconds * (filled + PIECE_BYTES)) / bytes - performance.now();
  if (ahead > 0) Atomics.wait(cell, 0, 0, ahead);
}
