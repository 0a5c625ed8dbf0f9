import { TENSOR_TYPES, type Tensor } from "./tensors.ts";

/** GGUF version written, and the alignment of every tensor in it, in bytes. */
export const GGUF_VERSION = 3;
export const GGUF_ALIGNMENT_BYTES = 32;

/** The value types of GGUF metadata that are used here, by their numbers in the file. */
const VALUE_TYPE = { u16: 2, u32: 4, i32: 5, f32: 6, string: 8, array: 9 } as const;

/** A metadata value with its type; arrays have elements of one type. */
export type MetadataValue =
  | { readonly type: "u16" | "u32" | "i32" | "f32"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "array"; readonly of: "string"; readonly value: readonly string[] }
  | { readonly type: "array"; readonly of: "f32" | "i32"; readonly value: readonly number[] };

export type Metadata = readonly (readonly [key: string, value: MetadataValue])[];

/** A tensor with its place in the data part of its file, which starts at the first aligned byte after the header. */
export interface PlacedTensor {
  readonly tensor: Tensor;
  readonly offset: number;
  /** Its place in the model as a whole, however the model is split: what its weights depend on. */
  readonly modelOffset: number;
}

/** The next multiple of the alignment. */
export function aligned(bytes: number): number {
  return Math.ceil(bytes / GGUF_ALIGNMENT_BYTES) * GGUF_ALIGNMENT_BYTES;
}

/** Places tensors one after the other, each at an aligned offset; `start` is the place of the first in the model. */
export function placeTensors(tensors: readonly Tensor[], start: number): { placed: PlacedTensor[]; dataBytes: number } {
  let offset = 0;
  const placed = tensors.map((tensor) => {
    const at = { tensor, offset, modelOffset: start + offset };
    offset += aligned(tensor.bytes);
    return at;
  });
  return { placed, dataBytes: offset };
}

/** The header of a GGUF file, padded so that the data can follow at once. */
export function encodeHeader(metadata: Metadata, tensors: readonly PlacedTensor[]): Uint8Array {
  const parts: Buffer[] = [
    Buffer.from("GGUF"),
    encodeU32(GGUF_VERSION),
    encodeU64(tensors.length),
    encodeU64(metadata.length),
  ];
  for (const [key, value] of metadata) parts.push(encodeString(key), encodeValue(value));
  for (const { tensor, offset } of tensors) {
    parts.push(encodeString(tensor.name), encodeU32(tensor.dimensions.length));
    for (const dimension of tensor.dimensions) parts.push(encodeU64(dimension));
    parts.push(encodeU32(TENSOR_TYPES[tensor.type].number), encodeU64(offset));
  }
  const header = Buffer.concat(parts);
  return Buffer.concat([header], aligned(header.length));
}

function encodeValue(value: MetadataValue): Buffer {
  const type = encodeU32(VALUE_TYPE[value.type]);
  switch (value.type) {
    case "string":
      return Buffer.concat([type, encodeString(value.value)]);
    case "array": {
      const elements =
        value.of === "string"
          ? value.value.map(encodeString)
          : value.value.map((element) => encodeNumber(value.of, element));
      return Buffer.concat([type, encodeU32(VALUE_TYPE[value.of]), encodeU64(elements.length), ...elements]);
    }
    case "u16":
    case "u32":
    case "i32":
    case "f32":
      return Buffer.concat([type, encodeNumber(value.type, value.value)]);
  }
}

function encodeNumber(type: "u16" | "u32" | "i32" | "f32", value: number): Buffer {
  const buffer = Buffer.alloc(type === "u16" ? 2 : 4);
  switch (type) {
    case "u16":
      buffer.writeUInt16LE(value);
      break;
    case "u32":
      buffer.writeUInt32LE(value);
      break;
    case "i32":
      buffer.writeInt32LE(value);
      break;
    case "f32":
      buffer.writeFloatLE(value);
      break;
  }
  return buffer;
}

function encodeString(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([encodeU64(bytes.length), bytes]);
}

function encodeU32(value: number): Buffer {
  return encodeNumber("u32", value);
}

function encodeU64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}
