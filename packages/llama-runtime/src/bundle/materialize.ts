import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { LlamaRuntimeError } from "../error.ts";
import { embeddedBundleDirectory } from "../embedded.ts";
import { digestFile, isErrno } from "./file.ts";
import { STAGE_AGE_MS_MAX } from "./limits.ts";
import { MANIFEST_NAME, type RuntimeManifest } from "./manifest.ts";
import { readBundle, readManifest, requireDigest, type RuntimeBundle } from "./read-bundle.ts";

const STAGE_PREFIX = ".stage-";
const GROUP_OR_OTHER_WRITE = 0o022;

/** One file was copied. */
export interface MaterializeProgress {
  /** Relative path of the file. */
  readonly path: string;
  readonly filesDone: number;
  readonly filesTotal: number;
}

/** Options of `materializeBundle`. */
export interface MaterializeOptions {
  /** Absolute path of a directory of the host. Made with mode 0700 when absent. */
  readonly cacheDirectory: string;
  /** The bundle to copy; the one this package holds for the running platform when absent. */
  readonly bundleDirectory?: string;
  /** Called after each copied file, and not at all when the cache already holds the bundle. */
  readonly onProgress?: (progress: MaterializeProgress) => void;
}

/**
 * Copies a bundle once to `<cacheDirectory>/<sha256 of the manifest>/<id>` and returns it verified. The copy is made in a
 * private stage beside its place, every byte is digested on the way, everything is synced, and then one rename puts it
 * there: whoever looks sees all of it or nothing. Two processes may do this at once; the slower one uses what the faster
 * one made. A process that dies leaves only its stage, which a later call removes.
 *
 * A cache entry that does not verify is an error and stays as it is: who changed it, and why, is a question for a person.
 *
 * @throws LlamaRuntimeError `BUNDLE_MISSING`, `BUNDLE_MANIFEST_INVALID`, `BUNDLE_CORRUPT`, `CACHE_DIRECTORY_UNSAFE`;
 * errors of the file system (a full disk, a missing permission) as they are.
 */
export async function materializeBundle(options: MaterializeOptions): Promise<RuntimeBundle> {
  const source = await readManifest(options.bundleDirectory ?? embeddedBundleDirectory());
  await makePrivateDirectory(options.cacheDirectory);
  const parent = join(options.cacheDirectory, source.manifest.manifestDigest);
  const target = join(parent, source.manifest.id);
  if (!(await exists(target))) {
    await makePrivateDirectory(parent);
    await removeStaleStages(parent);
    await copyOnce(source, parent, target, options.onProgress ?? (() => undefined));
  }
  return await readBundle(target);
}

async function copyOnce(
  source: { readonly root: string; readonly manifest: RuntimeManifest; readonly bytes: Uint8Array },
  parent: string,
  target: string,
  onProgress: (progress: MaterializeProgress) => void,
): Promise<void> {
  const stage = join(parent, `${STAGE_PREFIX}${randomUUID()}`);
  await makeFolder(stage);
  try {
    const folders = new Set([stage]);
    let filesDone = 0;
    for (const [path, digest] of source.manifest.digests) {
      await makeFolders(stage, path, folders);
      await copyFile(join(source.root, path), join(stage, path), digest);
      filesDone += 1;
      onProgress({ path, filesDone, filesTotal: source.manifest.digests.size });
    }
    await writeNewFile(join(stage, MANIFEST_NAME), async (write) => {
      await write(source.bytes);
    });
    // Names are durable only when their folder is synced, the deepest one first.
    for (const folder of [...folders].reverse()) await syncDirectory(folder);
    await renameOnce(stage, target);
    await syncDirectory(parent);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** The rename fails when another process was faster: its copy has the same manifest, and is verified like ours. */
async function renameOnce(stage: string, target: string): Promise<void> {
  try {
    await rename(stage, target);
  } catch (cause) {
    if (!isErrno(cause, "ENOTEMPTY") && !isErrno(cause, "EEXIST")) throw cause;
  }
}

async function copyFile(from: string, to: string, expected: string): Promise<void> {
  await writeNewFile(to, async (write) => {
    requireDigest(from, expected, await digestFile(from, write));
  });
}

async function writeNewFile(
  path: string,
  fill: (write: (piece: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.chmod(0o600);
    await fill(async (piece) => {
      await handle.writeFile(piece);
    });
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function makeFolders(stage: string, path: string, made: Set<string>): Promise<void> {
  const components = path.split("/").slice(0, -1);
  let folder = stage;
  for (const component of components) {
    folder = join(folder, component);
    if (made.has(folder)) continue;
    await makeFolder(folder);
    made.add(folder);
  }
}

/** mkdir's mode passes through the umask, which may take away what the owner needs; chmod's does not. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  await chmod(path, 0o700);
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return false;
    throw cause;
  }
}

/** Makes a directory only its owner can change; one that others could change is refused, for code is loaded from it. */
async function makePrivateDirectory(path: string): Promise<void> {
  if (!isAbsolute(path)) throw unsafe(path, "it is not an absolute path", "an absolute path");
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  if (made !== undefined) await chmod(path, 0o700);
  const status = await stat(path);
  const owner = process.getuid?.();
  if (owner !== undefined && status.uid !== owner) {
    throw unsafe(path, `it belongs to user ${status.uid}`, `a directory of user ${owner}`);
  }
  if ((status.mode & GROUP_OR_OTHER_WRITE) !== 0 && process.platform !== "win32") {
    const mode = (status.mode & 0o7777).toString(8).padStart(4, "0");
    throw unsafe(path, `its mode is ${mode}`, "mode 0700 (chmod go-w)");
  }
}

function unsafe(path: string, found: string, expected: string): LlamaRuntimeError {
  return new LlamaRuntimeError({
    code: "CACHE_DIRECTORY_UNSAFE",
    message: `${path} cannot hold a native runtime: ${found}, expected ${expected}. Others could change what is loaded.`,
    path,
    expected,
    found,
  });
}

async function removeStaleStages(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(STAGE_PREFIX)) continue;
    const path = join(parent, name);
    try {
      const { mtimeMs } = await lstat(path);
      if (Date.now() - mtimeMs > STAGE_AGE_MS_MAX) await rm(path, { recursive: true, force: true });
    } catch (cause) {
      // Another process removed it, or finished with it, between the listing and the look.
      if (!isErrno(cause, "ENOENT")) throw cause;
    }
  }
}
