import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { LlamaRuntimeError } from "../error.ts";

/** One buffer of this size per file: 1 MiB, on the heap. */
const READ_BYTES = 1024 * 1024;

/**
 * Opens a file of a bundle for reading. It must be a regular file itself: a symlink would let the directory point
 * elsewhere, and O_NONBLOCK keeps a FIFO in its place from blocking the open.
 *
 * @throws LlamaRuntimeError `BUNDLE_CORRUPT` when it is anything else; the error of the file system when it cannot be
 * opened.
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if (isErrno(cause, "ELOOP")) throw notRegular(path, "a symlink", cause);
    throw cause;
  }
  const status = await handle.stat();
  if (status.isFile()) return handle;
  await handle.close();
  throw notRegular(path, "a special file");
}

/** sha256 of a file, in lower-case hexadecimal. Each piece is handed to `onPiece` too, valid until that returns. */
export async function digestFile(
  path: string,
  onPiece: (piece: Uint8Array) => Promise<void> | void = () => undefined,
): Promise<string> {
  const handle = await openRegularFile(path);
  try {
    const hash = createHash("sha256");
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, null);
      if (bytesRead === 0) return hash.digest("hex");
      const piece = buffer.subarray(0, bytesRead);
      hash.update(piece);
      await onPiece(piece);
    }
  } finally {
    await handle.close();
  }
}

/** Whether an error of the file system has this errno name, e.g. "ENOENT". */
export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function notRegular(path: string, found: string, cause?: unknown): LlamaRuntimeError {
  return new LlamaRuntimeError({
    code: "BUNDLE_CORRUPT",
    message: `${path} is ${found}, expected a regular file: a bundle holds nothing else.`,
    path,
    expected: "a regular file",
    found,
    cause,
  });
}
