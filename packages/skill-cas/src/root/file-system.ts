import { randomBytes } from "node:crypto";
import type { MountStatus, PinnedDirectory } from "@mesh/ffi/fs";
import { perform, type Steps } from "../effects.ts";
import { errnoOf, SkillCasError } from "../error.ts";
import { ROOT_ID_NAME } from "./root-id.ts";

/**
 * File systems on which the promise does not hold, and why. A name that is not here is not refused: whether it can link
 * is tried, the rest is the kernel's word.
 */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  nfs: "locks and link counts of other clients are seen late",
  afs: "links across directories and locks are not those of one machine",
  cifs: "no owner, mode and link count of its own",
  smb: "no owner, mode and link count of its own",
  smb2: "no owner, mode and link count of its own",
  "9p": "whether a sync reaches the disk depends on the server",
  fuse: "whether a sync reaches a disk depends on the program that serves it",
  vboxsf: "no hard links",
  vmhgfs: "no hard links",
  vfat: "no hard links, no owner and mode",
  exfat: "no hard links, no owner and mode",
};

/** What was found about a file system; a warning where it could not be told. */
export interface FileSystemFinding {
  /** Named `unknown` where it could not be told. */
  readonly fileSystem: MountStatus;
  readonly warnings: readonly string[];
}

/**
 * Refuses a file system that cannot keep the promise, by name, before any body is loaded. The look is advisory: where it
 * fails, the store opens with a warning.
 *
 * @throws SkillCasError FILE_SYSTEM_UNSUPPORTED
 */
export function checkFileSystem(directory: Pick<PinnedDirectory, "mount" | "path" | "status">): FileSystemFinding {
  let fileSystem: MountStatus;
  try {
    fileSystem = directory.mount();
  } catch (error) {
    const warning = `the file system of ${directory.path} could not be told: ${error instanceof Error ? error.message : String(error)}`;
    const { device } = directory.status();
    return { fileSystem: { type: 0, name: "unknown", readOnly: false, device }, warnings: [warning] };
  }
  const why = fileSystem.readOnly ? "it is mounted read-only" : UNSUPPORTED[fileSystem.name];
  if (why !== undefined) {
    throw new SkillCasError({
      code: "FILE_SYSTEM_UNSUPPORTED",
      message: `${directory.path}: found ${fileSystem.name}: ${why}; expected a local disk, for example ext4, xfs, btrfs or apfs`,
      facts: { path: directory.path, fileSystem: fileSystem.name, why },
    });
  }
  return { fileSystem, warnings: [] };
}

/** Errors by which file systems say that they have no hard links. */
const NO_LINKS = ["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS"];

/**
 * Links the root's id file to a name of its own and removes that: without hard links nothing could be published, and it
 * is better known before a body is loaded. A crash in between leaves a second name of the id, which harms nobody.
 *
 * @throws SkillCasError HARD_LINKS_UNSUPPORTED
 */
export function* proveHardLinks(path: string): Steps<void> {
  const name = `${ROOT_ID_NAME}.link-${randomBytes(8).toString("hex")}`;
  try {
    yield* perform({ kind: "link", source: ROOT_ID_NAME, target: name });
    yield* perform({ kind: "unlink", name });
  } catch (error) {
    throw hardLinksUnsupported(path, error) ?? error;
  }
}

/** The one error of a store without hard links, or undefined where the failure is another. */
export function hardLinksUnsupported(path: string, error: unknown): SkillCasError | undefined {
  const errnoName = errnoOf(error);
  const isLink = error instanceof SkillCasError && error.facts["effect"] === "link";
  return isLink && errnoName !== undefined && NO_LINKS.includes(errnoName)
    ? new SkillCasError({
        code: "HARD_LINKS_UNSUPPORTED",
        message: `${path}: link failed with ${errnoName}; expected a file system with hard links. Choose another place for the store`,
        cause: error,
        facts: { path, errnoName },
      })
    : undefined;
}
