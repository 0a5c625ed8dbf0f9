import { aligned, encodeHeader, type Metadata, type PlacedTensor, placeTensors } from "./gguf.ts";
import type { SampleModelPlanOptions, SampleModelShape } from "./options.ts";
import { tensorsOf } from "./tensors.ts";
import { TOKEN_IDS, vocabularyOf, vocabularySize } from "./vocabulary.ts";

/** One file to write. */
export interface FilePlan {
  readonly path: string;
  /** Everything before the tensor data, padding included. */
  readonly header: Uint8Array;
  readonly tensors: readonly PlacedTensor[];
  /** Size of the whole file in bytes. */
  readonly bytes: number;
}

/** The files of a model: what they are called, what is in them and how large they are. */
export function planFiles(options: SampleModelPlanOptions): FilePlan[] {
  const tensors = tensorsOf(options.shape);
  const metadata = modelMetadata(options.shape, options.tokenizer);
  let modelOffset = 0;
  return Array.from({ length: options.splits }, (_, index) => {
    // Parts differ by at most one tensor, and none is empty.
    const from = Math.floor((tensors.length * index) / options.splits);
    const to = Math.floor((tensors.length * (index + 1)) / options.splits);
    const { placed, dataBytes } = placeTensors(tensors.slice(from, to), modelOffset);
    modelOffset += dataBytes;
    const split = splitMetadata(index, options.splits, tensors.length);
    const header = encodeHeader(index === 0 ? [...metadata, ...split] : [ARCHITECTURE, ...split], placed);
    return {
      path: partPath(options.path, index, options.splits),
      header,
      tensors: placed,
      bytes: aligned(header.length) + dataBytes,
    };
  });
}

/** Part names as llama.cpp looks for them: the first part is opened, it finds the others by their numbers. */
export function partPath(path: string, index: number, count: number): string {
  if (count === 1) return path;
  const number = (value: number): string => String(value).padStart(5, "0");
  return path.replace(/\.gguf$/u, `-${number(index + 1)}-of-${number(count)}.gguf`);
}

const ARCHITECTURE = ["general.architecture", { type: "string", value: "llama" }] as const;

/** The keys llama.cpp requires of a llama model, and the few that make it complete. */
function modelMetadata(shape: SampleModelShape, tokenizer: boolean): Metadata {
  return [
    ARCHITECTURE,
    ["general.name", { type: "string", value: "random sample model" }],
    ["llama.context_length", { type: "u32", value: shape.context }],
    ["llama.embedding_length", { type: "u32", value: shape.embedding }],
    ["llama.block_count", { type: "u32", value: shape.layers }],
    ["llama.feed_forward_length", { type: "u32", value: shape.feedForward }],
    ["llama.attention.head_count", { type: "u32", value: shape.heads }],
    ["llama.attention.head_count_kv", { type: "u32", value: shape.kvHeads }],
    ["llama.attention.layer_norm_rms_epsilon", { type: "f32", value: 1e-5 }],
    ["llama.rope.dimension_count", { type: "u32", value: shape.embedding / shape.heads }],
    ["llama.vocab_size", { type: "u32", value: vocabularySize(shape.words) }],
    ...(tokenizer ? tokenizerMetadata(shape.words) : NO_TOKENIZER),
  ];
}

const NO_TOKENIZER: Metadata = [["tokenizer.ggml.model", { type: "string", value: "no_vocab" }]];

function tokenizerMetadata(words: number): Metadata {
  const vocabulary = vocabularyOf(words);
  return [
    ["tokenizer.ggml.model", { type: "string", value: "llama" }],
    ["tokenizer.ggml.tokens", { type: "array", of: "string", value: vocabulary.tokens }],
    ["tokenizer.ggml.scores", { type: "array", of: "f32", value: vocabulary.scores }],
    ["tokenizer.ggml.token_type", { type: "array", of: "i32", value: vocabulary.types }],
    ["tokenizer.ggml.unknown_token_id", { type: "u32", value: TOKEN_IDS.unknown }],
    ["tokenizer.ggml.bos_token_id", { type: "u32", value: TOKEN_IDS.beginning }],
    ["tokenizer.ggml.eos_token_id", { type: "u32", value: TOKEN_IDS.end }],
  ];
}

function splitMetadata(index: number, count: number, tensors: number): Metadata {
  if (count === 1) return [];
  return [
    ["split.no", { type: "u16", value: index }],
    ["split.count", { type: "u16", value: count }],
    ["split.tensors.count", { type: "i32", value: tensors }],
  ];
}
