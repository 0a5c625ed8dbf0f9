import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SAMPLE_MODEL_PRESETS, type SampleModelShape, writeSampleModel } from "../../src/sample-model/index.ts";
import { failsWith } from "../support/fails-with.ts";
import { readGguf } from "../support/gguf-reader.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const ELEMENT_BYTES: Record<number, number> = { 0: 4, 1: 2 };

const shapes: fc.Arbitrary<SampleModelShape> = fc
  .record({
    layers: fc.integer({ min: 1, max: 4 }),
    headWidth: fc.constantFrom(16, 32),
    kvHeads: fc.integer({ min: 1, max: 2 }),
    group: fc.integer({ min: 1, max: 2 }),
    feedForward: fc.integer({ min: 1, max: 5 }),
    context: fc.integer({ min: 1, max: 1024 }),
    words: fc.integer({ min: 0, max: 40 }),
  })
  .map(({ layers, headWidth, kvHeads, group, feedForward, context, words }) => {
    const heads = kvHeads * group * 2;
    return { layers, embedding: heads * headWidth, heads, kvHeads, feedForward: feedForward * 32, context, words };
  });

test("for any shape, seed and split: offsets are aligned and ordered, sizes add up, parts hold every tensor once", async () => {
  const directory = await temporaryDirectory();
  const input = fc.record({
    shape: shapes,
    seed: fc.integer({ min: 0, max: 0xffff_ffff }),
    splits: fc.integer({ min: 1, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(input, async ({ shape, seed, splits }) => {
      const model = await writeSampleModel({ path: join(directory, "model.gguf"), shape, seed, splits });
      expect(model.paths).toHaveLength(splits);
      const names: string[] = [];
      let bytes = 0;
      for (const [index, path] of model.paths.entries()) {
        const file = await readFile(path);
        const gguf = readGguf(file);
        expect(gguf.version).toBe(3);
        expect(gguf.tensors.length).toBeGreaterThan(0);
        let end = 0;
        for (const tensor of gguf.tensors) {
          expect(tensor.offset % 32).toBe(0);
          expect(tensor.offset).toBe(Math.ceil(end / 32) * 32);
          end = tensor.offset + tensor.elements * (ELEMENT_BYTES[tensor.type] ?? Number.NaN);
          names.push(tensor.name);
        }
        expect(file.length).toBe(gguf.dataStart + Math.ceil(end / 32) * 32);
        expect(gguf.metadata.get("split.no")).toBe(splits === 1 ? undefined : index);
        expect(gguf.metadata.get("split.count")).toBe(splits === 1 ? undefined : splits);
        expect(gguf.metadata.get("split.tensors.count")).toBe(splits === 1 ? undefined : model.tensors);
        bytes += file.length;
        await rm(path);
      }
      expect(model.bytes).toBe(bytes);
      expect(new Set(names).size).toBe(names.length);
      expect(names).toHaveLength(3 + 9 * shape.layers);
    }),
    { numRuns: 40 },
  );
});

test("parts are named as llama.cpp looks for them", async () => {
  const path = join(await temporaryDirectory(), "model.gguf");
  const model = await writeSampleModel({ path, preset: "tiny", splits: 3 });
  expect(model.paths.map((part) => basename(part))).toEqual([
    "model-00001-of-00003.gguf",
    "model-00002-of-00003.gguf",
    "model-00003-of-00003.gguf",
  ]);
  expect(model.path).toBe(model.paths[0]);
});

test("the same options and seed give the same bytes, another seed gives others", async () => {
  const directory = await temporaryDirectory();
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 0xffff_fffe }), async (seed) => {
      const write = async (name: string, seeded: number): Promise<Buffer> => {
        const model = await writeSampleModel({ path: join(directory, name), preset: "tiny", seed: seeded });
        return await readFile(model.path);
      };
      const first = await write("first.gguf", seed);
      expect((await write("second.gguf", seed)).equals(first)).toBe(true);
      expect((await write("third.gguf", seed + 1)).equals(first)).toBe(false);
    }),
    { numRuns: 8 },
  );
});

test("the vocabulary has 286 fixed tokens with all 256 bytes, an end token, and the words asked for", async () => {
  const path = join(await temporaryDirectory(), "model.gguf");
  await writeSampleModel({ path, preset: "tiny", shape: { words: 5000 } });
  const { metadata } = readGguf(await readFile(path));
  const tokens = metadata.get("tokenizer.ggml.tokens");
  if (!Array.isArray(tokens)) throw new Error("no tokens");
  expect(tokens).toHaveLength(286 + 5000);
  expect(new Set(tokens).size).toBe(tokens.length);
  expect(tokens.filter((token) => /^<0x[0-9A-F]{2}>$/u.test(String(token)))).toHaveLength(256);
  expect(tokens[Number(metadata.get("tokenizer.ggml.eos_token_id"))]).toBe("</s>");
});

test("no two matrices begin with the same bytes, and no row repeats within a matrix", async () => {
  const path = join(await temporaryDirectory(), "model.gguf");
  await writeSampleModel({ path, preset: "small", shape: { layers: 2 } });
  const file = await readFile(path);
  const gguf = readGguf(file);
  const starts = gguf.tensors
    .filter((tensor) => tensor.type === 1)
    .map((tensor) =>
      file
        .subarray(gguf.dataStart + tensor.offset)
        .subarray(0, 64)
        .toString("hex"),
    );
  expect(new Set(starts).size).toBe(starts.length);
  const embedding = gguf.tensors.find((tensor) => tensor.name === "token_embd.weight");
  const rowBytes = SAMPLE_MODEL_PRESETS.small.embedding * 2;
  const rows = Array.from({ length: (embedding?.elements ?? 0) / SAMPLE_MODEL_PRESETS.small.embedding }, (_, row) =>
    file.subarray(gguf.dataStart + row * rowBytes, gguf.dataStart + (row + 1) * rowBytes).toString("hex"),
  );
  expect(new Set(rows).size).toBe(rows.length);
});

test("a sparse model is the same file with zeros for its matrices, and takes hardly any disk", async () => {
  const directory = await temporaryDirectory();
  const write = async (sparse: boolean): Promise<Buffer> => {
    const model = await writeSampleModel({ path: join(directory, `${sparse}.gguf`), preset: "small", sparse });
    const { size, blocks } = await stat(model.path);
    expect(size).toBe(model.bytes);
    if (sparse) expect(blocks * 512).toBeLessThan(size / 10);
    return await readFile(model.path);
  };
  const full = await write(false);
  const { dataStart, tensors } = readGguf(full);
  for (const tensor of tensors) {
    const start = dataStart + tensor.offset;
    if (tensor.type === 1) full.fill(0, start, start + tensor.elements * 2);
  }
  expect((await write(true)).equals(full)).toBe(true);
});

test("bytes chooses the number of layers and is met to half a layer", async () => {
  const directory = await temporaryDirectory();
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1_000_000, max: 12_000_000 }), async (bytes) => {
      const model = await writeSampleModel({
        path: join(directory, "model.gguf"),
        preset: "small",
        shape: { words: 0 },
        bytes,
      });
      // A layer of the small preset has about 3 MB, the rest about 0.5 MB.
      expect(Math.abs(model.bytes - bytes)).toBeLessThan(model.layers === 1 ? 3_300_000 : 1_700_000);
    }),
    { numRuns: 10 },
  );
});

test("progress rises strictly and ends with the size of the model", async () => {
  const path = join(await temporaryDirectory(), "model.gguf");
  const seen: number[] = [];
  const model = await writeSampleModel({
    path,
    preset: "small",
    splits: 2,
    onProgress: ({ bytesDone, bytesTotal }) => {
      expect(bytesTotal).toBeGreaterThanOrEqual(bytesDone);
      seen.push(bytesDone);
    },
  });
  expect(seen.every((bytes, index) => bytes > (seen[index - 1] ?? 0))).toBe(true);
  expect(seen.at(-1)).toBe(model.bytes);
});

test("a consumer that throws in the middle leaves nothing, and an existing model stays as it was", async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, "model.gguf");
  await writeFile(path, "the old model");
  const interrupted = writeSampleModel({
    path,
    preset: "tiny",
    onProgress: ({ bytesDone, bytesTotal }) => {
      if (bytesDone > bytesTotal / 2) throw new Error("stop");
    },
  });
  await expect(interrupted).rejects.toThrow("stop");
  expect(await readdir(directory)).toEqual(["model.gguf"]);
  expect(await readFile(path, "utf8")).toBe("the old model");
});

test("errors of the file system pass with their errno", async () => {
  const directory = await temporaryDirectory();
  await expect(writeSampleModel({ path: join(directory, "absent", "m.gguf"), preset: "tiny" })).rejects.toMatchObject({
    code: "ENOENT",
  });
  await mkdir(join(directory, "m.gguf"));
  await writeFile(join(directory, "m.gguf", "kept"), "");
  await expect(writeSampleModel({ path: join(directory, "m.gguf"), preset: "tiny" })).rejects.toMatchObject({
    code: "EISDIR",
  });
  expect(await readdir(directory)).toEqual(["m.gguf"]);
});

test.each([
  ["a relative path", { path: "model.gguf" }],
  ["another extension", { path: "/tmp/model.bin" }],
  ["no layer", { shape: { layers: 0 } }],
  ["a width that is no multiple of 32", { shape: { embedding: 100 } }],
  ["heads that do not divide the width", { shape: { heads: 3 } }],
  ["key heads that do not divide the heads", { shape: { kvHeads: 3 } }],
  ["heads of an odd width", { shape: { heads: 64, kvHeads: 64 } }],
  ["half a layer", { shape: { layers: 1.5 } }],
  ["a negative seed", { seed: -1 }],
  ["a seed of 33 bits", { seed: 2 ** 32 }],
  ["no split", { splits: 0 }],
  ["more splits than tensors", { splits: 22 }],
  ["no bytes", { bytes: 0 }],
  ["more bytes than are ever written", { bytes: 2 ** 40 }],
  ["a model larger than is ever written", { shape: { layers: 65_536, embedding: 8192, feedForward: 65_536 } }],
])("%s is refused before anything is written", async (_name, options) => {
  const directory = await temporaryDirectory();
  const path = join(directory, "model.gguf");
  const error = await failsWith("SAMPLE_MODEL_OPTIONS_INVALID", writeSampleModel({ path, preset: "tiny", ...options }));
  expect(error.message).toContain("expected");
  expect(await readdir(directory)).toEqual([]);
});
