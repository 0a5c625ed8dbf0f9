import { createHash } from "node:crypto";
import { cp, mkdir, open, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

import { embeddedBundleDirectory, readBundle } from "@mesh/llama-runtime";
import { buildFaultRuntime, type FaultVariantName } from "@mesh/testkit";
import { describe, expect, it } from "vitest";
import { inFolder, mesh } from "../mesh-command.ts";
import { expectWorkingHost } from "../skill-folder.ts";

/** Changes one byte in the middle of a file; its size stays. */
async function changeOneByte(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    const position = Math.floor((await file.stat()).size / 2);
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, position);
    byte.writeUInt8((byte.readUInt8(0) + 1) % 256);
    await file.write(byte, 0, 1, position);
  } finally {
    await file.close();
  }
}

/** Makes a bundle of a fault runtime, with a manifest that verifies: only its library is wrong. */
async function bundleOf(variant: FaultVariantName, folder: string): Promise<string> {
  const { libraries } = await buildFaultRuntime(variant);
  await mkdir(join(folder, "lib"), { recursive: true });
  const files: Record<string, string> = {};
  for (const library of libraries) {
    const path = `lib/${basename(library)}`;
    await cp(library, join(folder, path));
    files[path] = createHash("sha256")
      .update(await readFile(library))
      .digest("hex");
  }
  const runtime = {
    id: `fault-runtime-${variant}`,
    release_version: "0.0.0",
    skippy_abi: "0.1.54",
    platform: { os: process.platform, arch: process.arch },
    backend: { kind: "none" },
    rank: 0,
    libraries: Object.keys(files),
    files,
    tools: {},
  };
  await writeFile(join(folder, "manifest.json"), JSON.stringify({ schema_version: 2, runtime }));
  return folder;
}

describe("a runtime bundle", () => {
  it("with one changed byte is refused by name, with both digests, before anything is loaded", () =>
    inFolder(async (folder) => {
      const state = join(folder, "state");
      const bundle = join(folder, "bundle");
      await cp(embeddedBundleDirectory(), bundle, { recursive: true });
      const { libraries } = await readBundle(bundle);
      const library = libraries.at(-1) ?? "";
      await changeOneByte(library);
      const run = await mesh(["doctor", "--runtime", bundle, "--state", state]);
      expect(run.status).toBe(1);
      expect(run.error).toMatchObject({ code: "BUNDLE_CORRUPT", path: library });
      expect(run.error?.["expected"]).toMatch(/^sha256 [0-9a-f]{64}$/);
      expect(run.error?.["found"]).toMatch(/^sha256 [0-9a-f]{64}$/);
      expect(run.error?.["found"]).not.toBe(run.error?.["expected"]);
      expect(run.steps.some(({ step }) => step === "doctor.abi")).toBe(false);
      await expectWorkingHost(folder, state);
    }));

  it("is refused in the cache too: a materialised copy is verified at every start and never repaired in silence", () =>
    inFolder(async (folder) => {
      const state = join(folder, "state");
      const first = await mesh(["doctor", "--state", state]);
      expect(first.status).toBe(0);
      const directory = first.steps.find(({ step }) => step === "doctor.runtime")?.["directory"];
      if (typeof directory !== "string") throw new Error("doctor reported no directory");
      const library = (await readBundle(directory)).libraries.at(-1) ?? "";
      await changeOneByte(library);
      const run = await mesh(["doctor", "--state", state]);
      expect(run.status).toBe(1);
      expect(run.error).toMatchObject({ code: "BUNDLE_CORRUPT", path: library });
      await expectWorkingHost(folder, state);
    }));

  it.each(["abi-patch-plus-1", "abi-patch-minus-1"] as const)(
    "of another ABI patch is not admitted, and the error says both versions: %s",
    (variant) =>
      inFolder(async (folder) => {
        const state = join(folder, "state");
        const bundle = await bundleOf(variant, join(folder, "bundle"));
        const run = await mesh(["doctor", "--runtime", bundle, "--state", state]);
        expect(run.status).toBe(1);
        const found = variant === "abi-patch-plus-1" ? "0.1.55" : "0.1.53";
        expect(run.error?.["message"]).toContain("0.1.54");
        expect(run.error?.["message"]).toContain(found);
        expect(run.error?.["message"]).toContain(bundle);
        await expectWorkingHost(folder, state);
      }),
  );
});
