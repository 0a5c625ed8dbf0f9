import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The files of a small bundle: not loadable, but a bundle in everything that reading and copying look at. */
export const SMALL_FILES = {
  "lib/libdependency.so": "the dependency",
  "lib/libprimary.so": "the primary library",
  "lib/variants/libextra.so": "loaded on demand",
  "licences/LICENSE.txt": "permission is granted",
};

/** A manifest in wire spelling that tests bend. */
export interface WireManifest {
  schema_version: unknown;
  runtime: Record<string, unknown>;
}

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The manifest that fits `SMALL_FILES`. */
export function smallManifest(files: Record<string, string> = SMALL_FILES): WireManifest {
  return {
    schema_version: 2,
    runtime: {
      id: "small-runtime",
      release_version: "1.2.3",
      skippy_abi: "0.1.54",
      platform: { os: "linux", arch: "x86_64" },
      backend: { kind: "cpu" },
      libraries: ["lib/libdependency.so", "lib/libprimary.so"],
      files: Object.fromEntries(Object.entries(files).map(([path, content]) => [path, sha256(content)])),
      tools: {},
    },
  };
}

/** Writes a bundle; the manifest may be any text. */
export async function writeSmallBundle(
  directory: string,
  manifest: WireManifest | string = smallManifest(),
  files: Record<string, string> = SMALL_FILES,
): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "manifest.json"), typeof manifest === "string" ? manifest : JSON.stringify(manifest));
  return directory;
}
