import { createHash, randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

import { FileSystemError } from "@mesh/ffi";
import { openPinnedDirectory, type PinnedDirectory } from "@mesh/ffi/fs";

import { HostError } from "./error.ts";

/** Name of the file that holds the random id of this host. */
const HOST_ID_FILE = "host-id";
/** The random id, in bytes: 256 bits, written as lower-case hex and a newline. */
const HOST_ID_BYTES = 32;
const HOST_ID_TEXT_BYTES = HOST_ID_BYTES * 2 + 1;
const HOST_ID_PATTERN = /^[0-9a-f]{64}\n$/;

/** The places that one host keeps its state in. Every path is absolute; every directory is private to its owner. */
export interface StateDirectory {
  readonly root: string;
  /** Root of the content-addressed skill store. */
  readonly skills: string;
  /** Directory of the install journal, its side files and its locks. */
  readonly journal: string;
  readonly journalFile: string;
  /** Cache of materialised runtime bundles. */
  readonly runtimes: string;
  /** Models that this host made itself: the demo's. */
  readonly models: string;
  readonly evidence: string;
  /** sha256 of the random id that was made here once; 64 lower-case hex digits. */
  readonly hostIdentityDigest: string;
}

/**
 * The default place: `$XDG_STATE_HOME/mesh`, or `~/.local/state/mesh` (XDG Base Directory Specification). A relative
 * `XDG_STATE_HOME` is ignored, as that specification demands.
 */
export function defaultStateDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const base = environment["XDG_STATE_HOME"];
  return base !== undefined && isAbsolute(base) ? join(base, "mesh") : join(homedir(), ".local", "state", "mesh");
}

/**
 * Opens the state directory, making what is missing with mode 0700 and syncing every parent, and reads or makes the
 * identity of the host. Nothing in it depends on the umask.
 *
 * @throws HostError `STATE_DIRECTORY_INVALID` when a component is a symbolic link or not a directory;
 *   `HOST_IDENTITY_INVALID` when the identity file holds something else.
 */
export function openStateDirectory(path: string): StateDirectory {
  const root = resolve(path);
  const directory = openOrExplain(root);
  try {
    const hostIdentityDigest = createHash("sha256").update(hostId(directory, root)).digest("hex");
    return {
      root,
      skills: join(root, "skills"),
      journal: join(root, "journal"),
      journalFile: join(root, "journal", "install.sqlite3"),
      runtimes: join(root, "runtimes"),
      models: join(root, "models"),
      evidence: join(root, "evidence"),
      hostIdentityDigest,
    };
  } finally {
    directory.close();
  }
}

/** Makes one of the directories of the state, private and durable, or finds it as it is. */
export function ensurePrivateDirectory(path: string): void {
  openOrExplain(path).close();
}

function openOrExplain(path: string): PinnedDirectory {
  try {
    return openPinnedDirectory(path, { create: true });
  } catch (cause) {
    if (!(cause instanceof FileSystemError)) throw cause;
    throw new HostError({
      code: "STATE_DIRECTORY_INVALID",
      message:
        `The state directory ${path} cannot be used: ${cause.message}. Every component of its path must be a real ` +
        "directory that this user may enter, not a symbolic link. Name another place with --state DIR.",
      path,
      cause,
    });
  }
}

/** Reads the id of this host, or makes it: written whole under a name of its own, synced, then linked into place. */
function hostId(directory: PinnedDirectory, root: string): string {
  return readHostId(directory, root) ?? makeHostId(directory, root);
}

function readHostId(directory: PinnedDirectory, root: string): string | undefined {
  if (directory.stat(HOST_ID_FILE) === undefined) return undefined;
  const file = directory.open(HOST_ID_FILE);
  try {
    const buffer = Buffer.alloc(HOST_ID_TEXT_BYTES + 1);
    const length = file.read(buffer, 0);
    const text = buffer.toString("latin1", 0, length);
    if (file.status().kind !== "regular" || !HOST_ID_PATTERN.test(text)) {
      throw new HostError({
        code: "HOST_IDENTITY_INVALID",
        message:
          `${join(root, HOST_ID_FILE)} is not a host id: expected 64 hexadecimal digits and a newline. It is made once and ` +
          "never changed; restore it from a backup, or name another state directory with --state DIR.",
        path: join(root, HOST_ID_FILE),
      });
    }
    return text;
  } finally {
    file.close();
  }
}

function makeHostId(directory: PinnedDirectory, root: string): string {
  const id = `${randomBytes(HOST_ID_BYTES).toString("hex")}\n`;
  const temporary = `.${HOST_ID_FILE}-${randomBytes(8).toString("hex")}`;
  const file = directory.create(temporary);
  try {
    file.setMode(0o600);
    file.write(Buffer.from(id, "latin1"), 0);
    file.sync();
  } finally {
    file.close();
  }
  try {
    directory.link(temporary, HOST_ID_FILE);
  } catch (cause) {
    // Two first runs at once: link never replaces, so exactly one id wins and the loser reads it.
    if (!(cause instanceof FileSystemError && cause.errnoName === "EEXIST")) throw cause;
  } finally {
    directory.unlink(temporary);
    directory.sync();
  }
  const settled = readHostId(directory, root);
  if (settled === undefined) {
    throw new HostError({
      code: "HOST_IDENTITY_INVALID",
      message: `${join(root, HOST_ID_FILE)} vanished while it was being made. Something else changes this directory.`,
      path: join(root, HOST_ID_FILE),
    });
  }
  return settled;
}
