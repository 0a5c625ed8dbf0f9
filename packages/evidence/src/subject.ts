import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import path from "node:path";
import { EvidenceError } from "./error.ts";
import type { EvidenceSubject } from "./facts.ts";

/**
 * Takes the digest of a file that a run is about, piece by piece, so that a model of any size can be a subject.
 *
 * @param file the file to read
 * @param name how the evidence calls it; the file's own name unless told otherwise, never its folder
 * @throws EvidenceError SUBJECT_UNREADABLE
 */
export async function digestSubject(file: string, name = path.basename(file)): Promise<EvidenceSubject> {
  const hash = createHash("sha256");
  let size = 0;
  try {
    for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
      hash.update(piece);
      size += piece.length;
    }
  } catch (cause) {
    throw new EvidenceError({
      code: "SUBJECT_UNREADABLE",
      message: `the subject ${file} could not be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      path: file,
      cause,
    });
  }
  return { name, sha256: hash.digest("hex"), size };
}
