import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { SkillCasError } from "./error.ts";
import { MATERIAL_BYTES_MAX } from "./layout.ts";

/**
 * Reads a file from outside that may become a skill's body: 0 to `MATERIAL_BYTES_MAX` bytes of a regular file. The last
 * component is not followed where it is a symbolic link, opening never waits (a FIFO is refused at once), and no more is
 * read than that, however large the file says it is or becomes meanwhile.
 *
 * Rejects with SkillCasError BODY_REJECTED, whose fact `reason` is `not-a-regular-file` or `too-large` beside `path`,
 * `found` and `expected`; or with the error of Node's fs where the file cannot be opened or read (ELOOP for a symbolic
 * link).
 */
export async function readMaterialFile(path: string): Promise<Uint8Array> {
  // O_NONBLOCK: opening a FIFO that somebody put here must not wait for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const status = await file.stat();
    if (!status.isFile()) {
      throw rejected(path, "not-a-regular-file", "no regular file");
    }
    if (status.size > MATERIAL_BYTES_MAX) {
      throw rejected(path, "too-large", `${status.size} bytes`);
    }
    // One byte more than it has, so that a file that grows is seen.
    const buffer = new Uint8Array(MATERIAL_BYTES_MAX + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) {
        return buffer.slice(0, length);
      }
      length += bytesRead;
    }
    throw rejected(path, "too-large", `more than ${MATERIAL_BYTES_MAX} bytes`);
  } finally {
    await file.close();
  }
}

function rejected(path: string, reason: "not-a-regular-file" | "too-large", found: string): SkillCasError {
  const expected = `a regular file of at most ${MATERIAL_BYTES_MAX} bytes`;
  return new SkillCasError({
    code: "BODY_REJECTED",
    message: `${path}: found ${found}; expected ${expected}`,
    facts: { path, reason, found, expected },
  });
}
