import type { Buffer } from "node:buffer";

/** An independent reader of GGUF: written from the format's description, shares nothing with the writer. */
export interface ReadGguf {
  readonly version: number;
  readonly metadata: ReadonlyMap<string, unknown>;
  readonly tensors: readonly {
    readonly name: string;
    readonly elements: number;
    readonly type: number;
    readonly offset: number;
  }[];
  /** Where the tensor data begins in the file. */
  readonly dataStart: number;
}

class Cursor {
  #at = 0;
  constructor(private readonly file: Buffer) {}
  get at(): number {
    return this.#at;
  }
  bytes(count: number): Buffer {
    const slice = this.file.subarray(this.#at, this.#at + count);
    if (slice.length !== count) throw new Error("the header ends too early");
    this.#at += count;
    return slice;
  }
  u32(): number {
    return this.bytes(4).readUInt32LE();
  }
  u64(): number {
    return Number(this.bytes(8).readBigUInt64LE());
  }
  string(): string {
    return this.bytes(this.u64()).toString("utf8");
  }
  value(type: number): unknown {
    switch (type) {
      case 2:
        return this.bytes(2).readUInt16LE();
      case 4:
        return this.u32();
      case 5:
        return this.bytes(4).readInt32LE();
      case 6:
        return this.bytes(4).readFloatLE();
      case 8:
        return this.string();
      case 9: {
        const of = this.u32();
        return Array.from({ length: this.u64() }, () => this.value(of));
      }
      default:
        throw new Error(`unexpected value type ${type}`);
    }
  }
}

export function readGguf(file: Buffer): ReadGguf {
  const cursor = new Cursor(file);
  if (cursor.bytes(4).toString() !== "GGUF") throw new Error("no GGUF magic");
  const version = cursor.u32();
  const tensorCount = cursor.u64();
  const metadataCount = cursor.u64();
  const metadata = new Map<string, unknown>();
  for (let index = 0; index < metadataCount; index += 1) {
    const key = cursor.string();
    metadata.set(key, cursor.value(cursor.u32()));
  }
  const tensors = Array.from({ length: tensorCount }, () => {
    const name = cursor.string();
    const dimensions = Array.from({ length: cursor.u32() }, () => cursor.u64());
    return { name, elements: dimensions.reduce((a, b) => a * b, 1), type: cursor.u32(), offset: cursor.u64() };
  });
  return { version, metadata, tensors, dataStart: Math.ceil(cursor.at / 32) * 32 };
}
