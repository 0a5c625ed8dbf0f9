import { isAbsolute } from "node:path";
import { LlamaRuntimeError } from "../error.ts";
import { tensorsOf } from "./tensors.ts";

/** The dimensions of a model of the llama architecture. */
export interface SampleModelShape {
  /** Transformer blocks. */
  readonly layers: number;
  /** Width of the residual stream; a multiple of 32 and of `heads`. */
  readonly embedding: number;
  /** Attention heads. */
  readonly heads: number;
  /** Heads that share keys and values; divides `heads`. */
  readonly kvHeads: number;
  /** Width of the feed-forward part; a multiple of 32. */
  readonly feedForward: number;
  /** Context the model says it was trained for, in tokens. */
  readonly context: number;
  /** Word pieces in the vocabulary beside the 286 fixed tokens. */
  readonly words: number;
}

/**
 * Ready-made shapes: `tiny` (about 250 KB) opens in a millisecond, `small` (about 38 MiB) shows some eighty progress
 * steps, `demo` (about 512 MiB) loads for about a second when it is read and not mapped.
 */
export const SAMPLE_MODEL_PRESETS = {
  tiny: { layers: 2, embedding: 64, heads: 4, kvHeads: 4, feedForward: 128, context: 256, words: 0 },
  small: { layers: 12, embedding: 384, heads: 6, kvHeads: 2, feedForward: 1024, context: 512, words: 1024 },
  demo: { layers: 17, embedding: 1024, heads: 16, kvHeads: 4, feedForward: 4096, context: 1024, words: 4096 },
} as const satisfies Record<string, SampleModelShape>;

export type SampleModelPreset = keyof typeof SAMPLE_MODEL_PRESETS;

/** Most parts of a split model: the part number has five digits in the file name, and a test needs few. */
export const SPLITS_MAX = 99;
/** Largest model that is written. */
export const MODEL_BYTES_MAX = 64 * 1024 ** 3;
/** Largest context a model may claim. */
export const CONTEXT_TOKENS_MAX = 1024 * 1024;
const DIMENSION_MAX = 65_536;

const BOUNDS: readonly (readonly [dimension: keyof SampleModelShape, least: number, most: number])[] = [
  ["layers", 1, DIMENSION_MAX],
  ["embedding", 1, DIMENSION_MAX],
  ["heads", 1, DIMENSION_MAX],
  ["kvHeads", 1, DIMENSION_MAX],
  ["feedForward", 1, DIMENSION_MAX],
  ["context", 1, CONTEXT_TOKENS_MAX],
  ["words", 0, DIMENSION_MAX],
];

/** Options of `writeSampleModel`. */
export interface SampleModelOptions {
  /** Absolute path that ends in `.gguf`. Parts of a split model are `<name>-00001-of-00003.gguf` and so on beside it. */
  readonly path: string;
  /** Shape to start from; `demo` when absent. */
  readonly preset?: SampleModelPreset;
  /** Dimensions that differ from the preset. */
  readonly shape?: Partial<SampleModelShape>;
  /** Wanted size in bytes; chooses the number of layers (at least one), so the size is met to about half a layer. */
  readonly bytes?: number;
  /** Any unsigned 32-bit number; the same options and seed give the same bytes. 1 when absent. */
  readonly seed?: number;
  /** Number of files; 1 when absent. */
  readonly splits?: number;
  /** Writes a model without a tokenizer (`no_vocab`); hosts must survive one. */
  readonly withoutTokenizer?: boolean;
  /**
   * Leaves the matrices as holes in the file: the size is the same and they read as zeros, but hardly any disk is needed.
   * What takes long about a large model can be tried without writing one.
   */
  readonly sparse?: boolean;
}

/** Options after defaults and checks. */
export interface SampleModelPlanOptions {
  readonly path: string;
  readonly shape: SampleModelShape;
  readonly seed: number;
  readonly splits: number;
  readonly tokenizer: boolean;
  readonly sparse: boolean;
}

/** @throws LlamaRuntimeError `SAMPLE_MODEL_OPTIONS_INVALID`, before anything is written. */
export function resolveOptions(options: SampleModelOptions): SampleModelPlanOptions {
  check(
    isAbsolute(options.path) && options.path.endsWith(".gguf"),
    "path",
    "an absolute path that ends in .gguf",
    options.path,
  );
  const shape: SampleModelShape = { ...SAMPLE_MODEL_PRESETS[options.preset ?? "demo"], ...options.shape };
  for (const [name, least, most] of BOUNDS) {
    const value = shape[name];
    check(
      Number.isInteger(value) && value >= least && value <= most,
      name,
      `a whole number from ${least} to ${most}`,
      value,
    );
  }
  check(shape.embedding % 32 === 0, "embedding", "a multiple of 32", shape.embedding);
  check(shape.feedForward % 32 === 0, "feedForward", "a multiple of 32", shape.feedForward);
  check(shape.embedding % shape.heads === 0, "heads", `a divisor of the embedding ${shape.embedding}`, shape.heads);
  check(
    (shape.embedding / shape.heads) % 2 === 0,
    "heads",
    "heads of an even width, for rotary positions",
    shape.heads,
  );
  check(shape.heads % shape.kvHeads === 0, "kvHeads", `a divisor of the ${shape.heads} heads`, shape.kvHeads);
  const seed = options.seed ?? 1;
  check(Number.isInteger(seed) && seed >= 0 && seed <= 0xffff_ffff, "seed", "an unsigned 32-bit number", seed);

  const sized = options.bytes === undefined ? shape : withBytes(shape, options.bytes);
  const bytes = tensorBytes(sized);
  check(bytes <= MODEL_BYTES_MAX, "shape", `a model of at most ${MODEL_BYTES_MAX} bytes`, bytes);
  const splits = options.splits ?? 1;
  const most = Math.min(SPLITS_MAX, tensorsOf(sized).length);
  check(
    Number.isInteger(splits) && splits >= 1 && splits <= most,
    "splits",
    `a whole number from 1 to ${most}`,
    splits,
  );
  const tokenizer = options.withoutTokenizer !== true;
  return { path: options.path, shape: sized, seed, splits, tokenizer, sparse: options.sparse === true };
}

function withBytes(shape: SampleModelShape, bytes: number): SampleModelShape {
  check(
    Number.isSafeInteger(bytes) && bytes > 0 && bytes <= MODEL_BYTES_MAX,
    "bytes",
    `1 to ${MODEL_BYTES_MAX}`,
    bytes,
  );
  const one = tensorBytes({ ...shape, layers: 1 });
  const perLayer = tensorBytes({ ...shape, layers: 2 }) - one;
  return { ...shape, layers: Math.min(Math.max(1, Math.round((bytes - one) / perLayer) + 1), DIMENSION_MAX) };
}

function tensorBytes(shape: SampleModelShape): number {
  return tensorsOf(shape).reduce((sum, tensor) => sum + tensor.bytes, 0);
}

function check(condition: boolean, option: string, expected: string, found: string | number): void {
  if (condition) return;
  throw new LlamaRuntimeError({
    code: "SAMPLE_MODEL_OPTIONS_INVALID",
    message: `The option ${option} of a sample model is ${found}, expected ${expected}.`,
    expected,
    found: String(found),
  });
}
