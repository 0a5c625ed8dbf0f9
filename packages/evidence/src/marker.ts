import { EvidenceError } from "./error.ts";
import { appendToFile } from "./file.ts";
import { LINE_BYTES_MAX } from "./limits.ts";
import { cutToBytes, escapeUnsafe } from "./line.ts";

/**
 * Appends one line to a file, which is created where there is none; does nothing without a path. For a program that has one
 * thing to say. A run of several steps is an {@link Evidence}, which replaces the file instead and alone may say `executed`.
 *
 * @param path the file, or undefined when nobody asked for evidence
 * @param line text of any content: it becomes one line, unsafe characters escaped and a too long one cut
 * @throws EvidenceError INVALID_MARKER for an empty line and for one that says `executed`; WRITE_FAILED
 */
export function writeEvidenceMarker(path: string | undefined, line: string): void {
  if (path === undefined) return;
  if (line === "" || /^executed\b/.test(line)) {
    throw new EvidenceError({
      code: "INVALID_MARKER",
      message: line === "" ? "a marker line needs text" : "only a finished run may say that it executed",
      found: line,
    });
  }
  appendToFile(path, `${cutToBytes(escapeUnsafe(line), LINE_BYTES_MAX - 1)}\n`);
}
