import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LlamaRuntimeError } from "./error.ts";

/** The words of bundle ids for Node's own; a platform that is not here has no bundle of ours. */
const OS_NAMES: Partial<Record<NodeJS.Platform, string>> = { linux: "linux", darwin: "darwin", win32: "windows" };
const ARCH_NAMES: Partial<Record<NodeJS.Architecture, string>> = { x64: "x86_64", arm64: "aarch64" };

/** Id of the embedded bundle for a platform, e.g. "mesh-llama-runtime-linux-x86_64-cpu". */
export function embeddedBundleId(
  platform: NodeJS.Platform = process.platform,
  arch: NodeJS.Architecture = process.arch,
): string {
  return `mesh-llama-runtime-${OS_NAMES[platform] ?? platform}-${ARCH_NAMES[arch] ?? arch}-cpu`;
}

/**
 * Where this package keeps the bundle of the running platform. It is read from there, and loaded from the copy that
 * `materializeBundle` makes: a package manager may replace this directory under a running process.
 *
 * @throws LlamaRuntimeError `BUNDLE_MISSING` when the package holds none for this platform.
 */
export function embeddedBundleDirectory(): string {
  // This file lies in src/, and built in dist/: the bundles are beside either.
  const bundles = fileURLToPath(new URL("../bundle/", import.meta.url));
  const directory = join(bundles, embeddedBundleId());
  if (existsSync(directory)) return directory;
  const held = existsSync(bundles) ? readdirSync(bundles) : [];
  throw new LlamaRuntimeError({
    code: "BUNDLE_MISSING",
    message:
      `@mesh/llama-runtime holds no runtime bundle for this platform: expected ${directory}, ` +
      `found ${held.length === 0 ? "none at all" : held.join(", ")}.`,
    path: directory,
    expected: embeddedBundleId(),
    found: held.join(", "),
  });
}
