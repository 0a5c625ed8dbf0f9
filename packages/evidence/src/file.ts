import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { EvidenceError } from "./error.ts";
import { FILE_BYTES_MAX } from "./limits.ts";

/** What is at a path, as far as a reader of evidence cares. */
export type FileContent =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly reason: string };

/**
 * Replaces the whole file: new bytes in a file of their own, synced, renamed over the old one, folder synced. A reader sees
 * the old file or the new one, and after a crash it is one of the two.
 *
 * @throws EvidenceError NOT_A_FILE, WRITE_FAILED; the old file is then as it was
 */
export function replaceFile(file: string, text: string): void {
  refuseOtherThanFile(file);
  const next = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}`);
  try {
    writeSynced(next, text);
    renameSync(next, file);
    syncFolder(path.dirname(file));
  } catch (cause) {
    rmSync(next, { force: true });
    throw writeFailed(file, cause);
  }
}

/** Appends; creates the file where there is none. @throws EvidenceError WRITE_FAILED */
export function appendToFile(file: string, text: string): void {
  try {
    appendFileSync(file, text, { flush: true });
  } catch (cause) {
    throw writeFailed(file, cause);
  }
}

/** Reads a whole file of bounded size, never following a link in place of it and never waiting for a pipe. */
export function readBounded(file: string): FileContent {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return errorCode(error) === "ENOENT" ? { kind: "absent" } : { kind: "unreadable", reason: describe(error) };
  }
  try {
    if (!fstatSync(descriptor).isFile()) return { kind: "unreadable", reason: "it is not a regular file" };
    return readAll(descriptor);
  } catch (error) {
    return { kind: "unreadable", reason: describe(error) };
  } finally {
    closeSync(descriptor);
  }
}

/** One byte more than allowed is asked for, so that a file which is too long is seen without trusting its size. */
function readAll(descriptor: number): FileContent {
  const buffer = Buffer.alloc(Math.min(fstatSync(descriptor).size, FILE_BYTES_MAX) + 1);
  let length = 0;
  while (length < buffer.length) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, length);
    if (count === 0) return { kind: "bytes", bytes: buffer.subarray(0, length) };
    length += count;
  }
  return { kind: "unreadable", reason: `it is longer than ${FILE_BYTES_MAX} bytes, or grew while it was read` };
}

/** A rename would quietly replace a device, or leave the file a link points to with an old `executed` in it. */
function refuseOtherThanFile(file: string): void {
  const status = lstatSync(file, { throwIfNoEntry: false });
  if (status === undefined || status.isFile()) return;
  throw new EvidenceError({
    code: "NOT_A_FILE",
    message: `${file} is there and is not a regular file; name a regular file for the evidence`,
    path: file,
  });
}

function writeSynced(file: string, text: string): void {
  const descriptor = openSync(file, "wx");
  try {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function syncFolder(folder: string): void {
  // Windows cannot open a folder to sync it.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function writeFailed(file: string, cause: unknown): EvidenceError {
  return new EvidenceError({
    code: "WRITE_FAILED",
    message: `the evidence file ${file} could not be written: ${describe(cause)}`,
    path: file,
    cause,
  });
}

function errorCode(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
