import type { SampleModelShape } from "./options.ts";
import { vocabularySize } from "./vocabulary.ts";

/** Element types of ggml that are written: their number in the file and their bytes. */
export const TENSOR_TYPES = { f32: { number: 0, bytes: 4 }, f16: { number: 1, bytes: 2 } } as const;

/** One tensor of a model. */
export interface Tensor {
  readonly name: string;
  /** Dimensions as GGUF orders them: the row length first. */
  readonly dimensions: readonly number[];
  /** Norms are f32, because llama.cpp multiplies them so; everything else is f16. */
  readonly type: keyof typeof TENSOR_TYPES;
  readonly bytes: number;
}

/** Every tensor that llama.cpp asks of a llama model of this shape, in file order. */
export function tensorsOf(shape: SampleModelShape): Tensor[] {
  const { embedding, feedForward } = shape;
  const keys = (embedding / shape.heads) * shape.kvHeads;
  const vocabulary = vocabularySize(shape.words);
  const tensors = [
    matrix("token_embd.weight", embedding, vocabulary),
    norm("output_norm.weight", embedding),
    matrix("output.weight", embedding, vocabulary),
  ];
  for (let layer = 0; layer < shape.layers; layer += 1) {
    const block = `blk.${layer}`;
    tensors.push(
      norm(`${block}.attn_norm.weight`, embedding),
      matrix(`${block}.attn_q.weight`, embedding, embedding),
      matrix(`${block}.attn_k.weight`, embedding, keys),
      matrix(`${block}.attn_v.weight`, embedding, keys),
      matrix(`${block}.attn_output.weight`, embedding, embedding),
      norm(`${block}.ffn_norm.weight`, embedding),
      matrix(`${block}.ffn_gate.weight`, embedding, feedForward),
      matrix(`${block}.ffn_up.weight`, embedding, feedForward),
      matrix(`${block}.ffn_down.weight`, feedForward, embedding),
    );
  }
  return tensors;
}

function matrix(name: string, row: number, rows: number): Tensor {
  return { name, dimensions: [row, rows], type: "f16", bytes: row * rows * TENSOR_TYPES.f16.bytes };
}

function norm(name: string, length: number): Tensor {
  return { name, dimensions: [length], type: "f32", bytes: length * TENSOR_TYPES.f32.bytes };
}
