import { realpathSync } from "node:fs";
import { type ComponentStatus, type FileStatus, statComponents } from "@mesh/ffi/fs";
import { SkillCasError } from "../error.ts";
import { ROOT_MODE } from "../layout.ts";
import { modeText } from "../reason.ts";

const GROUP_AND_OTHER_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Refuses a way to a directory on which somebody else could put another directory in its place (spec 9.2): a symbolic
 * link, an owner that is neither root nor we, or a directory in which others may rename what leads to ours.
 *
 * Components that do not exist yet are no danger: they are made by us, mode 0700.
 *
 * @throws SkillCasError ROOT_UNSAFE, naming the directory, what was found, and the command that repairs it.
 */
export function authenticateAncestry(path: string, owner: number): readonly ComponentStatus[] {
  const components = statComponents(path);
  for (const [index, { path: directory, status }] of components.entries()) {
    if (status === undefined) {
      break;
    }
    if (status.kind !== "directory") {
      throw notADirectory(path, directory, status);
    }
    const next = components[index + 1];
    if (next !== undefined) {
      authenticateAncestor(directory, status, next.status, owner);
    }
  }
  return components;
}

/** Refuses a root that is not ours alone: owner and all twelve mode bits are compared (spec 9.2). */
export function authenticateRootStatus(path: string, status: FileStatus, owner: number): void {
  if (status.kind !== "directory") {
    throw notADirectory(path, path, status);
  }
  if (status.owner !== owner) {
    throw unsafe(path, `owner ${status.owner}`, `owner ${owner}`, `chown ${owner} ${quote(path)}`);
  }
  if (status.mode !== ROOT_MODE) {
    throw unsafe(path, `mode ${modeText(status.mode)}`, `mode ${modeText(ROOT_MODE)}`, `chmod 700 ${quote(path)}`);
  }
}

function authenticateAncestor(path: string, status: FileStatus, child: FileStatus | undefined, owner: number): void {
  if (status.owner !== 0 && status.owner !== owner) {
    throw unsafe(
      path,
      `owner ${status.owner}`,
      `owner 0 or ${owner}`,
      `choose a place that only you and root can change`,
    );
  }
  if ((status.mode & GROUP_AND_OTHER_WRITE) === 0) {
    return;
  }
  // In a sticky directory others may add names, but cannot rename or remove one that belongs to us or to root.
  const protectedChild = child === undefined || child.owner === 0 || child.owner === owner;
  if ((status.mode & STICKY) === 0 || !protectedChild) {
    const found = `mode ${modeText(status.mode)}, writable by others${protectedChild ? "" : ", child owned by another"}`;
    throw unsafe(path, found, "no write permission for group and others", `chmod go-w ${quote(path)}`);
  }
}

function notADirectory(root: string, path: string, status: FileStatus): SkillCasError {
  const repair =
    status.kind === "symlink" ? `use the path it leads to: ${realPathOf(root)}` : `move ${quote(path)} away`;
  return unsafe(path, status.kind, "a directory, reached without symbolic links", repair);
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return "(it leads nowhere)";
  }
}

function unsafe(path: string, found: string, expected: string, repair: string): SkillCasError {
  return new SkillCasError({
    code: "ROOT_UNSAFE",
    message: `${path}: found ${found}; expected ${expected}. To repair: ${repair}`,
    facts: { path, found, expected, repair },
  });
}

/** A path as a shell takes it. */
function quote(path: string): string {
  return /^[\w./@%+,:-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
