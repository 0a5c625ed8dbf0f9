/** Half-precision numbers in one block. A prime, so that no row of a matrix has the block's period. */
const BLOCK_ELEMENTS = 262_139;
/** How often the block is repeated in memory; a write takes at most this many blocks but one. */
const REPEATS = 9;
const BYTES = 2;

/** Random weights for matrices of one row length, as an endless repetition of one block. */
export interface RandomBlock {
  /** Up to `bytes` bytes from a position of the endless repetition; what is missing is had by asking again. */
  at(position: number, bytes: number): Uint8Array;
}

/**
 * Weights of about the size 1/sqrt(row), so that activations neither die nor explode. They are made as bit patterns: a
 * random sign and mantissa, an exponent from three, so no rounding is involved and the bytes are the same everywhere.
 */
export function randomBlock(seed: number, row: number): RandomBlock {
  const random = mulberry32(seed ^ row);
  const exponent = Math.round(Math.log2(1 / Math.sqrt(row))) + 15;
  const block = Buffer.allocUnsafe(BLOCK_ELEMENTS * BYTES);
  for (let index = 0; index < BLOCK_ELEMENTS; index += 1) {
    const bits = random();
    const sign = bits & 0x8000;
    const mantissa = bits & 0x03ff;
    const below = (bits >>> 16) % 3;
    block.writeUInt16LE(sign | (Math.max(1, exponent - below) << 10) | mantissa, index * BYTES);
  }
  const repeated = Buffer.concat(Array.from({ length: REPEATS }, () => block));
  return {
    at: (position, bytes) => {
      const start = position % block.length;
      return repeated.subarray(start, Math.min(start + bytes, repeated.length));
    },
  };
}

/** Tommy Ettinger's mulberry32: one small generator whose sequence is the same on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
