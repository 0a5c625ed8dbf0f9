import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { InstallDriverRequest, MaterialIdentity } from "@mesh/install-engine";
import { SkillCasError } from "../error.ts";
import { MATERIAL_BYTES_MAX } from "../layout.ts";

/** Where the driver gets a body from. What it returns is authenticated: a source is trusted with nothing. */
export interface SkillBodySource {
  /** Called only after the claim is durable, at most once in the life of an action, under the content lock. */
  load(request: InstallDriverRequest, material: MaterialIdentity): Promise<Uint8Array> | Uint8Array;
}

/** A body at hand. */
export function memoryBodySource(body: Uint8Array | string): SkillBodySource {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : Uint8Array.from(body);
  return { load: () => bytes };
}

/**
 * A body in a file, read when it is needed. The last component is not followed where it is a symbolic link, nothing but a
 * regular file is opened, and at most `MATERIAL_BYTES_MAX` bytes are read, however large it says or becomes.
 *
 * Rejects with SkillCasError BODY_REJECTED, or with the error of Node's fs.
 */
export function fileBodySource(path: string): SkillBodySource {
  return { load: () => readBody(path) };
}

async function readBody(path: string): Promise<Uint8Array> {
  // O_NONBLOCK: opening a FIFO that somebody put here must not wait for a writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags);
  try {
    const status = await file.stat();
    if (!status.isFile() || status.size > MATERIAL_BYTES_MAX) {
      throw rejected(path, status.isFile() ? `${status.size} bytes` : "no regular file");
    }
    const buffer = new Uint8Array(MATERIAL_BYTES_MAX + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (length > MATERIAL_BYTES_MAX) {
        throw rejected(path, `more than ${MATERIAL_BYTES_MAX} bytes`);
      }
      if (bytesRead === 0) {
        return buffer.slice(0, length);
      }
    }
  } finally {
    await file.close();
  }
}

function rejected(path: string, found: string): SkillCasError {
  const expected = `a regular file of at most ${MATERIAL_BYTES_MAX} bytes`;
  return new SkillCasError({
    code: "BODY_REJECTED",
    message: `${path}: found ${found}; expected ${expected}`,
    facts: { path, found, expected },
  });
}
