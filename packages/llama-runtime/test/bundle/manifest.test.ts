import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseManifest } from "../../src/bundle/manifest.ts";
import { LlamaRuntimeError } from "../../src/error.ts";
import { SMALL_FILES, sha256, smallManifest } from "../support/small-bundle.ts";

const encode = (manifest: unknown): Uint8Array => Buffer.from(JSON.stringify(manifest));

function refusal(bytes: Uint8Array): string {
  try {
    parseManifest(bytes, "/bundle/manifest.json");
  } catch (error) {
    if (!(error instanceof LlamaRuntimeError)) throw error;
    expect(error.code).toBe("BUNDLE_MANIFEST_INVALID");
    expect(error.path).toBe("/bundle/manifest.json");
    return error.message;
  }
  throw new Error("the manifest was accepted");
}

/** The small manifest with some fields of its runtime object replaced; undefined removes one. */
function bent(fields: Record<string, unknown>): Uint8Array {
  const manifest = smallManifest();
  return encode({ ...manifest, runtime: { ...manifest.runtime, ...fields } });
}

test("a manifest keeps its facts, and its digest is that of its bytes", () => {
  const bytes = encode(smallManifest());
  const manifest = parseManifest(bytes, "manifest.json");
  expect(manifest.id).toBe("small-runtime");
  expect(manifest.skippyAbi).toBe("0.1.54");
  expect(manifest.libraries).toEqual(["lib/libdependency.so", "lib/libprimary.so"]);
  expect(manifest.digests.size).toBe(Object.keys(SMALL_FILES).length);
  expect(manifest.manifestDigest).toBe(sha256(bytes));
});

test("digests may have the prefix sha256: and capital letters, and tools are files too", () => {
  const digest = sha256("tool");
  const manifest = parseManifest(bent({ tools: { "tools/run": `sha256:${digest.toUpperCase()}` } }), "manifest.json");
  expect(manifest.digests.get("tools/run")).toBe(digest);
});

describe("schema_version is the integer 2 and nothing else", () => {
  const text = JSON.stringify(smallManifest());
  test.each(["1", "3", '"2"', "2.0", "2e0", "null", "true"])("%s is refused", (version) => {
    expect(refusal(Buffer.from(text.replace('"schema_version":2', `"schema_version":${version}`)))).toContain(
      "schema_version",
    );
  });
  test("a missing one is refused", () => {
    expect(refusal(encode({ runtime: smallManifest().runtime }))).toContain("schema_version");
  });
});

test.each<[name: string, fields: Record<string, unknown>, named: string]>([
  ["an empty id", { id: "" }, "runtime.id"],
  ["an id with a slash", { id: "a/b" }, "runtime.id"],
  ["an id that climbs", { id: ".." }, "runtime.id"],
  ["an ABI of two numbers", { skippy_abi: "0.1" }, "runtime.skippy_abi"],
  ["an ABI with a leading zero", { skippy_abi: "0.01.54" }, "runtime.skippy_abi"],
  ["an ABI with a suffix", { skippy_abi: "0.1.54-rc" }, "runtime.skippy_abi"],
  ["no operating system", { platform: { os: "", arch: "x86_64" } }, "runtime.platform.os"],
  ["no library", { libraries: [] }, "runtime.libraries"],
  ["a library twice", { libraries: ["lib/libprimary.so", "lib/libprimary.so"] }, "listed twice"],
  ["a library without a digest", { libraries: ["lib/libother.so"] }, "lib/libother.so has no digest"],
  ["a library that climbs", { libraries: ["../libc.so"] }, "runtime.libraries.0"],
  ["an absolute library", { libraries: ["/lib/libc.so"] }, "runtime.libraries.0"],
  ["no file", { files: {} }, "runtime.files is empty"],
  ["a file that climbs", { files: { "../x": sha256("x") } }, "runtime.files"],
  ["a digest that is too short", { files: { "lib/libprimary.so": "abc" } }, "runtime.files.lib/libprimary.so"],
  ["a path that is a file and a tool", { tools: { "lib/libprimary.so": sha256("x") } }, "both in files and in tools"],
  ["a manifest that lists itself", { tools: { "manifest.json": sha256("x") } }, "lists itself"],
  ["a signature nobody can check", { signature: "c2ln" }, "runtime.signature"],
])("%s is refused", (_name, fields, named) => {
  expect(refusal(bent(fields))).toContain(named);
});

test("bytes that are not JSON in UTF-8 are refused", () => {
  expect(refusal(Buffer.from("{"))).toContain("not JSON");
  expect(refusal(Buffer.from([0x22, 0xff, 0x22]))).toContain("not JSON");
});

test("any JSON value is either refused with this package's error or accepted whole", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      refusal(encode(value));
      refusal(encode({ schema_version: 2, runtime: value }));
    }),
  );
});
