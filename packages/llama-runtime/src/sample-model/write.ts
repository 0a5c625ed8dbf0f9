import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { aligned, type PlacedTensor } from "./gguf.ts";
import { resolveOptions, type SampleModelOptions } from "./options.ts";
import { type FilePlan, planFiles } from "./plan.ts";
import { type RandomBlock, randomBlock } from "./random-block.ts";

/** How far the writing is. */
export interface SampleModelProgress {
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

/** A model on disk. */
export interface SampleModel {
  /** The file to open: the only one, or the first part. */
  readonly path: string;
  /** All files, in order. */
  readonly paths: readonly string[];
  /** Size of all files together. */
  readonly bytes: number;
  readonly tensors: number;
  readonly layers: number;
}

/**
 * Writes a real GGUF model of the llama architecture with random weights. It opens, tokenizes and decodes like any
 * other; what it says means nothing. Every matrix is a repetition of one random block that starts at another place, so
 * half a gigabyte takes about as long as the disk needs for it.
 *
 * Each file is written under a temporary name, synced and renamed, the first part last: where the path exists, the whole
 * model does. An existing model is replaced. The directory must exist.
 *
 * @throws LlamaRuntimeError `SAMPLE_MODEL_OPTIONS_INVALID` before anything is written; errors of the file system as they
 * are, and then no file of this call remains.
 */
export async function writeSampleModel(
  options: SampleModelOptions & { readonly onProgress?: (progress: SampleModelProgress) => void },
): Promise<SampleModel> {
  const resolved = resolveOptions(options);
  const files = planFiles(resolved);
  const bytesTotal = files.reduce((sum, file) => sum + file.bytes, 0);
  let bytesDone = 0;
  const onBytes = (bytes: number): void => {
    bytesDone += bytes;
    options.onProgress?.({ bytesDone, bytesTotal });
  };

  const directory = dirname(resolved.path);
  const stage = join(directory, `.${basename(resolved.path)}-${randomUUID()}`);
  await mkdir(stage, { mode: 0o700 });
  try {
    const blocks = resolved.sparse ? undefined : blockSource(resolved.seed);
    for (const file of files) await writeFile(join(stage, basename(file.path)), file, blocks, onBytes);
    for (const file of [...files].reverse()) await rename(join(stage, basename(file.path)), file.path);
    await syncDirectory(directory);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
  return {
    path: files[0]?.path ?? resolved.path,
    paths: files.map((file) => file.path),
    bytes: bytesTotal,
    tensors: files.reduce((sum, file) => sum + file.tensors.length, 0),
    layers: resolved.shape.layers,
  };
}

/** One block for every row length, made when it is first needed. */
function blockSource(seed: number): (row: number) => RandomBlock {
  const blocks = new Map<number, RandomBlock>();
  return (row) => {
    const block = blocks.get(row) ?? randomBlock(seed, row);
    blocks.set(row, block);
    return block;
  };
}

/** The blocks of the weights by row length; undefined where the weights are to be holes. */
type BlockSource = ((row: number) => RandomBlock) | undefined;

async function writeFile(
  path: string,
  file: FilePlan,
  blocks: BlockSource,
  onBytes: (bytes: number) => void,
): Promise<void> {
  // For appending: what is written after a hole lies behind it.
  const handle = await open(path, "ax");
  try {
    await writeAll(handle, file.header, onBytes);
    for (const tensor of file.tensors) await writeTensor(handle, tensor, blocks, onBytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeTensor(
  handle: FileHandle,
  { tensor, modelOffset }: PlacedTensor,
  blocks: BlockSource,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const [row = 1] = tensor.dimensions;
  if (tensor.type === "f32") {
    // Norms scale; a scale of one leaves the random weights alone to decide.
    await writeAll(handle, Buffer.from(new Float32Array(row).fill(1).buffer), onBytes);
  } else if (blocks === undefined) {
    await handle.truncate((await handle.stat()).size + tensor.bytes);
    onBytes(tensor.bytes);
  } else {
    const block = blocks(row);
    // The tensor's place in the model is its place in the repetition: no two start alike, and a split changes nothing.
    for (let done = 0; done < tensor.bytes; ) {
      const piece = block.at(modelOffset + done, tensor.bytes - done);
      await writeAll(handle, piece, onBytes);
      done += piece.length;
    }
  }
  await writeAll(handle, Buffer.alloc(aligned(tensor.bytes) - tensor.bytes), onBytes);
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, onBytes: (bytes: number) => void): Promise<void> {
  if (bytes.length === 0) return;
  await handle.writeFile(bytes);
  onBytes(bytes.length);
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
