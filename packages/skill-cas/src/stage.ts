import type { FileStatus } from "@mesh/ffi/fs";
import { type StoreIdentity, sameEntry } from "./address.ts";
import { type Handle, perform, type Steps } from "./effects.ts";
import { SkillCasError } from "./error.ts";
import { withHandle } from "./handle.ts";
import { FILE_MODE } from "./layout.ts";
import { modeText } from "./reason.ts";

/** An entry that was looked at: its name and what stood there. */
export interface Entry {
  readonly name: string;
  readonly status: FileStatus;
}

/**
 * Writes a stage: four effects, so that a test can stop between any two. When it returns, the bytes are on the disk; the
 * name is not until the directory is synced.
 *
 * @throws SkillCasError SYNC_FAILED, EFFECT_FAILED. The partial stage stays where it is: recovery removes it.
 */
export function* writeStage(store: StoreIdentity, name: string, bytes: Uint8Array): Steps<Entry> {
  return yield* writeFile(store, name, bytes, undefined);
}

/**
 * The same for a copy of a stage that is there already. Where it fails, what was made of it goes again, so that a failure
 * that stays does not leave one more copy each time.
 */
export function* writeCopy(store: StoreIdentity, name: string, bytes: Uint8Array): Steps<Entry> {
  const handle = yield* perform({ kind: "create", name });
  return yield* withHandle(handle, function* () {
    const created = yield* perform({ kind: "statHandle", handle });
    try {
      return yield* fill(store, { name, status: created }, handle, bytes);
    } catch (error) {
      yield* removeOpened(name, handle);
      throw error;
    }
  });
}

/** The same for a file in a directory of the root. */
export function* writeFile(
  store: StoreIdentity,
  name: string,
  bytes: Uint8Array,
  directory: Handle | undefined,
): Steps<Entry> {
  const handle = yield* perform({ kind: "create", name, ...(directory === undefined ? {} : { directory }) });
  return yield* withHandle(handle, function* () {
    const created = yield* perform({ kind: "statHandle", handle });
    return yield* fill(store, { name, status: created }, handle, bytes);
  });
}

/** Makes a new, empty file the private, synced holder of the bytes. */
function* fill(store: StoreIdentity, created: Entry, handle: Handle, bytes: Uint8Array): Steps<Entry> {
  const { name } = created;
  // The umask may have taken bits. Where it did not, one system call is saved.
  if (created.status.mode !== FILE_MODE) {
    yield* perform({ kind: "setMode", handle, mode: FILE_MODE });
  }
  yield* writeAll(handle, name, bytes);
  yield* perform({ kind: "syncFile", handle, name });
  const status = yield* perform({ kind: "statHandle", handle });
  if (status.mode !== FILE_MODE || status.linkCount !== 1 || status.size !== bytes.length) {
    const found = `mode ${modeText(status.mode)}, ${status.linkCount} links, ${status.size} bytes`;
    throw changed(name, found, `mode ${modeText(FILE_MODE)}, 1 link, ${bytes.length} bytes`);
  }
  if (status.owner !== store.owner) {
    throw changed(name, `owner ${status.owner}`, `owner ${store.owner}`);
  }
  return { name, status };
}

/**
 * Removes a name, unless it meanwhile leads to another file than the one that was looked at. The lock keeps cooperating
 * processes away; this keeps a confused one from losing a file of its own.
 */
export function* unlinkEntry(entry: Entry): Steps<void> {
  yield* expectSameFile(entry);
  yield* perform({ kind: "unlink", name: entry.name });
}

/** Fails where a name meanwhile leads to another file than the one that was looked at. */
export function* expectSameFile(entry: Entry): Steps<void> {
  const named = yield* perform({ kind: "stat", name: entry.name });
  if (named === undefined || !sameEntry(named, entry.status)) {
    throw changed(entry.name, named === undefined ? "nothing" : describe(named), describe(entry.status));
  }
}

/** Removes the name of an open file on the way to an error. */
function* removeOpened(name: string, handle: Handle): Steps<void> {
  try {
    yield* unlinkEntry({ name, status: yield* perform({ kind: "statHandle", handle }) });
  } catch {
    // As below.
  }
}

/** Removes a name on the way to an error, which is the one that says what happened. What cannot be removed stays. */
export function* removeQuietly(entry: Entry): Steps<void> {
  try {
    yield* unlinkEntry(entry);
  } catch {
    // A later recovery finds it like anything else that a failure leaves.
  }
}

function* writeAll(handle: Handle, name: string, bytes: Uint8Array): Steps<void> {
  let position = 0;
  while (position < bytes.length) {
    const written = yield* perform({ kind: "write", handle, bytes: bytes.subarray(position), position });
    if (written < 1) {
      throw changed(name, `${position} bytes written, then none`, `${bytes.length} bytes written`);
    }
    position += written;
  }
}

function describe({ kind, inode, mode, size, modifiedNs }: FileStatus): string {
  return `${kind}, inode ${inode}, mode ${modeText(mode)}, ${size} bytes, modified at ${modifiedNs} ns`;
}

function changed(name: string, found: string, expected: string): SkillCasError {
  return new SkillCasError({
    code: "OBJECT_CONFLICT",
    message: `${name}: found ${found}; expected ${expected}. Somebody works in this store without its locks`,
    facts: { name, found, expected },
  });
}
