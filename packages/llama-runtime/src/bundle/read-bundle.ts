import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { LlamaRuntimeError } from "../error.ts";
import { digestFile, isErrno, openRegularFile } from "./file.ts";
import { listFiles } from "./inventory.ts";
import { MANIFEST_BYTES_MAX } from "./limits.ts";
import { MANIFEST_NAME, parseManifest, type RuntimeManifest } from "./manifest.ts";

/** Licence texts lie in this folder of a bundle. */
const LICENCE_FOLDER = "licences/";

/** A native runtime on disk whose every file has the digest that its manifest names. */
export interface RuntimeBundle {
  readonly id: string;
  /** Absolute path without symlinks. */
  readonly directory: string;
  readonly releaseVersion: string;
  /** The ABI the libraries say they speak, e.g. "0.1.54". The loader asks the library itself. */
  readonly skippyAbi: string;
  readonly platform: { readonly os: string; readonly arch: string; readonly target: string | undefined };
  /** Kind of backend, e.g. "cpu". */
  readonly backend: string;
  /** Absolute paths in load order, the primary library last. */
  readonly libraries: readonly string[];
  /** Every file with its digest (lower-case hexadecimal sha256), sorted by relative path. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  /** Absolute paths of the licence texts. */
  readonly licences: readonly string[];
  /** sha256 of manifest.json: the identity of the bundle as a whole. */
  readonly manifestDigest: string;
}

/**
 * Reads and verifies a bundle: the manifest, every digest, and that no other file lies beside them. The directory's
 * content is attacker-controlled. What is verified here is what was on disk during the call, so a host loads bundles
 * from a directory that nobody else can write to, such as the one `materializeBundle` makes.
 *
 * @throws LlamaRuntimeError `BUNDLE_MISSING`, `BUNDLE_MANIFEST_INVALID`, `BUNDLE_CORRUPT`; errors of the file system as
 * they are. Source of the rules: specification of native runtime bundles, section 7.
 */
export async function readBundle(directory: string): Promise<RuntimeBundle> {
  const { root, manifest } = await readManifest(directory);
  requireSameFiles(root, manifest, await listFiles(root));
  const files = [...manifest.digests].map(([path, sha256]) => ({ path, sha256 }));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, sha256 } of files) requireDigest(join(root, path), sha256, await digestFile(join(root, path)));
  return {
    id: manifest.id,
    directory: root,
    releaseVersion: manifest.releaseVersion,
    skippyAbi: manifest.skippyAbi,
    platform: manifest.platform,
    backend: manifest.backend,
    libraries: manifest.libraries.map((path) => join(root, path)),
    files,
    licences: files.filter(({ path }) => path.startsWith(LICENCE_FOLDER)).map(({ path }) => join(root, path)),
    manifestDigest: manifest.manifestDigest,
  };
}

/** The manifest alone, with its bytes; no other file is looked at. */
export async function readManifest(
  directory: string,
): Promise<{ readonly root: string; readonly manifest: RuntimeManifest; readonly bytes: Uint8Array }> {
  try {
    const root = await realpath(directory);
    const path = join(root, MANIFEST_NAME);
    const bytes = await readSmallFile(path);
    return { root, manifest: parseManifest(bytes, path), bytes };
  } catch (cause) {
    if (!isErrno(cause, "ENOENT") && !isErrno(cause, "ENOTDIR")) throw cause;
    throw new LlamaRuntimeError({
      code: "BUNDLE_MISSING",
      message: `${directory} is no runtime bundle: expected a directory with ${MANIFEST_NAME} in it.`,
      path: directory,
      cause,
    });
  }
}

async function readSmallFile(path: string): Promise<Uint8Array> {
  const handle = await openRegularFile(path);
  try {
    const { size } = await handle.stat();
    // One byte more than allowed is asked for, so that a file that grew meanwhile is noticed too.
    const buffer = Buffer.alloc(Math.min(size, MANIFEST_BYTES_MAX) + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    if (size <= MANIFEST_BYTES_MAX && bytesRead === size) return buffer.subarray(0, bytesRead);
    throw new LlamaRuntimeError({
      code: "BUNDLE_MANIFEST_INVALID",
      message: `${path} has more than ${MANIFEST_BYTES_MAX} bytes or changes while it is read.`,
      path,
      expected: `at most ${MANIFEST_BYTES_MAX} bytes`,
      found: `${size} bytes`,
    });
  } finally {
    await handle.close();
  }
}

function requireSameFiles(root: string, manifest: RuntimeManifest, listed: readonly string[]): void {
  const present = new Set(listed);
  const missing = [...manifest.digests.keys()].find((path) => !present.has(path));
  if (missing !== undefined) {
    throw corrupt(join(root, missing), "a file of the manifest", "no such file", root);
  }
  const extra = listed.find((path) => path !== MANIFEST_NAME && !manifest.digests.has(path));
  if (extra !== undefined) {
    throw corrupt(join(root, extra), "only files of the manifest", "a file it does not list", root);
  }
}

/** @throws LlamaRuntimeError `BUNDLE_CORRUPT` when the digests differ. */
export function requireDigest(path: string, expected: string, found: string): void {
  if (found !== expected) throw corrupt(path, `sha256 ${expected}`, `sha256 ${found}`);
}

function corrupt(path: string, expected: string, found: string, root?: string): LlamaRuntimeError {
  return new LlamaRuntimeError({
    code: "BUNDLE_CORRUPT",
    message:
      `The runtime bundle is not intact: ${path}: expected ${expected}, found ${found}. Nothing was repaired or loaded. ` +
      `Remove ${root ?? "the bundle's directory"} and let it be materialised again, or install the package again.`,
    path,
    expected,
    found,
  });
}
