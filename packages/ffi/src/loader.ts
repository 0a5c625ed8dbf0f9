import { createRequire } from "node:module";
import { FfiError } from "./error.ts";
import { type Libc, readLibc } from "./libc.ts";

/** The two faces of the addon; each is an object of functions that the code of that face checks before it calls. */
export type AddonFace = "fs" | "runtime";

/** Where the addon of this machine lies. */
export interface AddonLocation {
  readonly platform: string;
  readonly arch: string;
  readonly libc: Libc;
  /** Absolute path of the loaded `.node` file. */
  readonly path: string;
}

interface LoadedAddon {
  readonly location: AddonLocation;
  readonly faces: Readonly<Record<AddonFace, object>>;
}

interface Prebuild {
  readonly resolve: () => string;
  readonly load: () => unknown;
}

const requireFile: { (path: string): unknown; resolve(path: string): string } = createRequire(import.meta.url);

// Each path is a literal at its call, so that bundlers and file tracers see which files belong to the package. They are
// relative to this file, which lies one folder below the package root in the sources as in every build.
const PREBUILDS: Readonly<Record<string, Prebuild>> = {
  "linux-x64-glibc": {
    resolve: () => requireFile.resolve("../prebuilds/linux-x64/@mesh+ffi.glibc.node"),
    load: () => requireFile("../prebuilds/linux-x64/@mesh+ffi.glibc.node"),
  },
  "linux-x64-musl": {
    resolve: () => requireFile.resolve("../prebuilds/linux-x64/@mesh+ffi.musl.node"),
    load: () => requireFile("../prebuilds/linux-x64/@mesh+ffi.musl.node"),
  },
  "linux-arm64-glibc": {
    resolve: () => requireFile.resolve("../prebuilds/linux-arm64/@mesh+ffi.glibc.node"),
    load: () => requireFile("../prebuilds/linux-arm64/@mesh+ffi.glibc.node"),
  },
  "linux-arm64-musl": {
    resolve: () => requireFile.resolve("../prebuilds/linux-arm64/@mesh+ffi.musl.node"),
    load: () => requireFile("../prebuilds/linux-arm64/@mesh+ffi.musl.node"),
  },
  "darwin-x64-none": {
    resolve: () => requireFile.resolve("../prebuilds/darwin-x64/@mesh+ffi.node"),
    load: () => requireFile("../prebuilds/darwin-x64/@mesh+ffi.node"),
  },
  "darwin-arm64-none": {
    resolve: () => requireFile.resolve("../prebuilds/darwin-arm64/@mesh+ffi.node"),
    load: () => requireFile("../prebuilds/darwin-arm64/@mesh+ffi.node"),
  },
};

let loaded: LoadedAddon | undefined;

/**
 * Loads the addon once for this module and says where it lies.
 *
 * @throws FfiError `ADDON_NOT_FOUND`, `ADDON_LOAD_FAILED` or `ADDON_MISMATCH`.
 */
export function locateAddon(): AddonLocation {
  return addon().location;
}

/**
 * The functions of one face, by name. Nothing is known about them here but that the face is an object.
 *
 * @throws FfiError `ADDON_NOT_FOUND`, `ADDON_LOAD_FAILED` or `ADDON_MISMATCH`.
 */
export function loadAddonFace(face: AddonFace): object {
  return addon().faces[face];
}

function addon(): LoadedAddon {
  loaded ??= load(process.platform, process.arch, readLibc());
  return loaded;
}

function load(platform: string, arch: string, libc: Libc): LoadedAddon {
  const wanted = `${platform}-${arch}-${libc}`;
  const prebuild = Object.hasOwn(PREBUILDS, wanted) ? PREBUILDS[wanted] : undefined;
  if (prebuild === undefined) throw notFound(wanted, "this platform is not one of those the addon is built for");
  const path = resolvePrebuild(wanted, prebuild);
  const faces = readFaces(path, loadPrebuild(path, prebuild));
  return { location: { platform, arch, libc, path }, faces };
}

function resolvePrebuild(wanted: string, prebuild: Prebuild): string {
  try {
    return prebuild.resolve();
  } catch (error) {
    if (!hasCode(error, "MODULE_NOT_FOUND")) throw error;
    throw notFound(wanted, "its file is not in the package", error);
  }
}

function loadPrebuild(path: string, prebuild: Prebuild): unknown {
  try {
    return prebuild.load();
  } catch (error) {
    if (!hasCode(error, "ERR_DLOPEN_FAILED")) throw error;
    throw new FfiError({
      code: "ADDON_LOAD_FAILED",
      message: `the addon ${path} or one of its dependencies could not be loaded; the cause names which.`,
      cause: error,
      path,
    });
  }
}

function readFaces(path: string, exported: unknown): LoadedAddon["faces"] {
  if (typeof exported === "object" && exported !== null && "fs" in exported && "runtime" in exported) {
    const { fs, runtime } = exported;
    if (typeof fs === "object" && fs !== null && typeof runtime === "object" && runtime !== null) {
      return { fs, runtime };
    }
  }
  throw new FfiError({
    code: "ADDON_MISMATCH",
    message: `${path} is not the addon of this package: expected an object with the faces fs and runtime. Install the package again.`,
    path,
  });
}

function notFound(wanted: string, why: string, cause?: unknown): FfiError {
  const searched = Object.keys(PREBUILDS);
  return new FfiError({
    code: "ADDON_NOT_FOUND",
    message:
      `no addon for ${wanted}: ${why}. The package can hold one for each of ${searched.join(", ")}. ` +
      "Install the package again on this machine, or build it there.",
    cause,
    wanted,
    searched,
  });
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === code;
}
