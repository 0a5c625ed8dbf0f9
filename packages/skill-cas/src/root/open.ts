import { isAbsolute, resolve } from "node:path";
import { openPinnedDirectory, type PinnedDirectory } from "@mesh/ffi/fs";
import { type StoreIdentity, sameFile } from "../address.ts";
import { rootUnavailable, SkillCasError } from "../error.ts";
import { authenticateAncestry, authenticateRootStatus } from "./ancestry.ts";

/** An authenticated root, held open. */
export interface OpenedRoot {
  readonly path: string;
  readonly directory: PinnedDirectory;
  readonly store: StoreIdentity;
}

/** How a root is opened. */
export interface OpenRootOptions {
  /** Absolute path of the store's directory. */
  readonly root: string;
  /** Whether missing directories are made, mode 0700, each synced into its parent. */
  readonly create: boolean;
}

/**
 * Opens the root of a store and authenticates the way to it (spec 9.2). Nothing is made before the existing part of the
 * way has been found safe, and nothing at all on a platform that lacks the primitives.
 *
 * @throws SkillCasError INVALID_ARGUMENT, FILE_SYSTEM_UNSUPPORTED, ROOT_MISSING, ROOT_UNSAFE, ROOT_UNAVAILABLE, ROOT_CHANGED
 */
export function openRoot(options: OpenRootOptions): OpenedRoot {
  const owner = effectiveUser();
  const path = absolutePath(options.root);
  try {
    return openAuthenticated(path, owner, options.create);
  } catch (error) {
    throw rootUnavailable(path, error);
  }
}

function openAuthenticated(path: string, owner: number, create: boolean): OpenedRoot {
  const components = authenticateAncestry(path, owner);
  if (!create && components.at(-1)?.status === undefined) {
    const missing = components.at(-1)?.path ?? path;
    throw new SkillCasError({
      code: "ROOT_MISSING",
      message: `${path}: ${missing} does not exist; expected the directory of a store. Make it with create`,
      facts: { path, missing },
    });
  }
  const directory = openPinnedDirectory(path, { create });
  try {
    const status = directory.status();
    authenticateRootStatus(path, status, owner);
    const named = authenticateAncestry(path, owner).at(-1)?.status;
    if (named === undefined || !sameFile(named, status)) {
      throw new SkillCasError({
        code: "ROOT_CHANGED",
        message: `${path}: the directory was replaced while it was being opened; somebody else works on this path`,
        facts: { path },
      });
    }
    return { path, directory, store: { owner, root: { device: status.device, inode: status.inode } } };
  } catch (error) {
    directory.close();
    throw error;
  }
}

/** The Windows refusal comes before any look at the file system: no actuator there keeps the promise (spec 9.3). */
function effectiveUser(): number {
  const owner = process.geteuid?.();
  if (owner === undefined) {
    throw new SkillCasError({
      code: "FILE_SYSTEM_UNSUPPORTED",
      message: `${process.platform} has no owner and mode of files; expected a POSIX system. Nothing was touched`,
      facts: { platform: process.platform },
    });
  }
  return owner;
}

/** The path comes from the configuration of the host. */
function absolutePath(root: string): string {
  if (!isAbsolute(root) || root.includes("\0")) {
    throw new SkillCasError({
      code: "INVALID_ARGUMENT",
      message: `root: found ${JSON.stringify(root)}; expected an absolute path without NUL`,
      facts: { root },
    });
  }
  return resolve(root);
}
