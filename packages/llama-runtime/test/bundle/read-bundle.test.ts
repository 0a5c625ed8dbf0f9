import { execFileSync } from "node:child_process";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MANIFEST_BYTES_MAX } from "../../src/bundle/limits.ts";
import { readBundle } from "../../src/bundle/read-bundle.ts";
import { failsWith } from "../support/fails-with.ts";
import { SMALL_FILES, sha256, smallManifest, writeSmallBundle } from "../support/small-bundle.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

test("an intact bundle is returned with absolute paths in load order and every digest", async () => {
  const directory = await writeSmallBundle(await temporaryDirectory());
  const bundle = await readBundle(directory);
  expect(bundle.libraries).toEqual([join(directory, "lib/libdependency.so"), join(directory, "lib/libprimary.so")]);
  expect(bundle.licences).toEqual([join(directory, "licences/LICENSE.txt")]);
  expect(bundle.files).toEqual(
    Object.entries(SMALL_FILES).map(([path, content]) => ({ path, sha256: sha256(content) })),
  );
});

test("one changed byte anywhere in any file is found and named, with both digests", async () => {
  const directory = await writeSmallBundle(await temporaryDirectory());
  const flip = fc.record({
    path: fc.constantFrom(...Object.keys(SMALL_FILES)),
    at: fc.nat({ max: 1000 }),
    bit: fc.nat({ max: 7 }),
  });
  await fc.assert(
    fc.asyncProperty(flip, async ({ path, at, bit }) => {
      const file = join(directory, path);
      const intact = await readFile(file);
      const changed = Buffer.from(intact);
      const index = at % intact.length;
      changed.writeUInt8(intact.readUInt8(index) ^ (1 << bit), index);
      await writeFile(file, changed);
      const error = await failsWith("BUNDLE_CORRUPT", readBundle(directory));
      await writeFile(file, intact);
      expect(error.path).toBe(file);
      expect(error.expected).toBe(`sha256 ${sha256(intact)}`);
      expect(error.found).toBe(`sha256 ${sha256(changed)}`);
    }),
    { numRuns: 40 },
  );
  await expect(readBundle(directory)).resolves.toMatchObject({ id: "small-runtime" });
});

test("a missing file is named", async () => {
  const directory = await writeSmallBundle(await temporaryDirectory());
  await rm(join(directory, "lib/variants/libextra.so"));
  const error = await failsWith("BUNDLE_CORRUPT", readBundle(directory));
  expect(error.path).toBe(join(directory, "lib/variants/libextra.so"));
});

test("a file that the manifest does not list is named: it could be loaded as a backend", async () => {
  const directory = await writeSmallBundle(await temporaryDirectory());
  await writeFile(join(directory, "lib/libggml-cpu-evil.so"), "x");
  const error = await failsWith("BUNDLE_CORRUPT", readBundle(directory));
  expect(error.path).toBe(join(directory, "lib/libggml-cpu-evil.so"));
});

test.each(["lib/libprimary.so", "lib/variants", "manifest.json"])(
  "a symlink in place of %s is refused",
  async (path) => {
    const root = await temporaryDirectory();
    const directory = await writeSmallBundle(join(root, "bundle"));
    // The target is the very same content: what is wrong is the link alone.
    await rename(join(directory, path), join(root, "elsewhere"));
    await symlink(join(root, "elsewhere"), join(directory, path));
    const error = await failsWith("BUNDLE_CORRUPT", readBundle(directory));
    expect(error.path).toBe(join(directory, path));
  },
);

test("a FIFO in place of the manifest is refused and not waited for", async () => {
  const directory = await writeSmallBundle(await temporaryDirectory());
  await rm(join(directory, "manifest.json"));
  execFileSync("mkfifo", [join(directory, "manifest.json")]);
  await failsWith("BUNDLE_CORRUPT", readBundle(directory));
});

test("a path that leaves the bundle is refused before any file is read", async () => {
  const root = await temporaryDirectory();
  await writeFile(join(root, "secret"), "secret");
  const manifest = smallManifest();
  manifest.runtime["files"] = {
    ...(smallManifest({ ...SMALL_FILES }).runtime["files"] as object),
    "../secret": sha256("secret"),
  };
  const directory = await writeSmallBundle(join(root, "bundle"), manifest);
  const error = await failsWith("BUNDLE_MANIFEST_INVALID", readBundle(directory));
  expect(error.message).toContain("../secret");
});

test("a directory without a manifest, and no directory at all, are no bundles", async () => {
  const directory = await temporaryDirectory();
  await failsWith("BUNDLE_MISSING", readBundle(directory));
  await failsWith("BUNDLE_MISSING", readBundle(join(directory, "absent")));
  await writeFile(join(directory, "file"), "");
  await failsWith("BUNDLE_MISSING", readBundle(join(directory, "file")));
});

test("a manifest of the largest size is read and one byte more is refused", async () => {
  const directory = await temporaryDirectory();
  const text = JSON.stringify(smallManifest());
  const padded = (bytes: number): string => text + " ".repeat(bytes - text.length);
  await writeSmallBundle(directory, padded(MANIFEST_BYTES_MAX));
  await expect(readBundle(directory)).resolves.toMatchObject({ id: "small-runtime" });
  await writeSmallBundle(directory, padded(MANIFEST_BYTES_MAX + 1));
  await failsWith("BUNDLE_MANIFEST_INVALID", readBundle(directory));
});

test("folders nested without end are refused", async () => {
  const directory = await writeSmallBundle(await temporaryDirectory());
  await mkdir(join(directory, ...Array.from({ length: 40 }, () => "deep")), { recursive: true });
  await failsWith("BUNDLE_CORRUPT", readBundle(directory));
});
