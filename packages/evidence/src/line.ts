import { EvidenceError } from "./error.ts";
import { LINE_BYTES_MAX, NAME_BYTES_MAX } from "./limits.ts";

/** One `name: value` line. */
export interface Marker {
  readonly name: string;
  readonly value: string;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LINE = /^([a-z0-9]+(?:-[a-z0-9]+)*): (.+)$/u;

/** Names of the first line; a step that could be called so would let a reader mistake it for the state of the run. */
const STATE_NAMES = new Set(["executed", "failed", "blocked", "blocked-when-ungated", "running"]);

/** Names of the facts of a run begin so; no step may claim one. */
export const FACT_PREFIX = "run-";

/**
 * Characters that could start a line, hide text or reverse its order where a file is shown: control characters, the
 * Unicode line and paragraph separators, the byte order mark, bidirectional controls, and halves of surrogate pairs.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/u;
const EVERY_UNSAFE = new RegExp(UNSAFE.source, "gu");

/** How much of a value that is too long is given to the note that says so. */
const CUT_NOTE_BYTES_MAX = 40;

/**
 * One line of a file, without its newline, whatever the value holds: unsafe characters are written as `\u{HEX}`, and a value
 * that is too long is cut at a character and ends in `[cut N bytes]`. Not reversible, and not meant to be: the value may come
 * from a library's error text, and must neither forge a line nor get lost.
 *
 * @param name a marker name of the format
 * @param value text of any length and content; attacker-controlled
 * @throws EvidenceError INVALID_MARKER when the name breaks the grammar or the value is empty
 */
export function formatLine(name: string, value: string): string {
  if (!isName(name)) {
    throw new EvidenceError({
      code: "INVALID_MARKER",
      message: `a marker name is lower-case letters, digits and single hyphens, at most ${NAME_BYTES_MAX}; found ${JSON.stringify(name.slice(0, NAME_BYTES_MAX))}`,
      found: name,
    });
  }
  if (value === "") {
    throw new EvidenceError({ code: "INVALID_MARKER", message: `the marker "${name}" needs a value`, found: value });
  }
  const prefix = `${name}: `;
  return prefix + cutToBytes(escapeUnsafe(value), LINE_BYTES_MAX - 1 - prefix.length);
}

/** @throws EvidenceError INVALID_MARKER when a step may not have that name */
export function formatStep(name: string, value: string): string {
  if (STATE_NAMES.has(name) || name.startsWith(FACT_PREFIX)) {
    throw new EvidenceError({
      code: "INVALID_MARKER",
      message: `"${name}" belongs to the format itself; a step needs a name of its own`,
      found: name,
    });
  }
  return formatLine(name, value);
}

/** Makes text safe to be part of one line. */
export function escapeUnsafe(text: string): string {
  return text.replace(EVERY_UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Cuts at a character so that the text, and a note of how much is missing, take at most so many bytes of UTF-8. */
export function cutToBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax - CUT_NOTE_BYTES_MAX;
  // A byte of the form 10xxxxxx continues a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString()} [cut ${bytes.length - end} bytes]`;
}

/** Whether the text could be a marker's name. */
export function isName(text: string): boolean {
  return text.length <= NAME_BYTES_MAX && NAME.test(text);
}

/** Reads a line without its newline; undefined when it is not a marker line of the grammar. */
export function parseLine(line: string): Marker | undefined {
  const match = LINE.exec(line);
  const [, name, value] = match ?? [];
  if (name === undefined || value === undefined || !isName(name) || UNSAFE.test(value)) return undefined;
  return Buffer.byteLength(line) < LINE_BYTES_MAX ? { name, value } : undefined;
}

/** Whether a marker of that name may be a step. */
export function isStepName(name: string): boolean {
  return !STATE_NAMES.has(name) && !name.startsWith(FACT_PREFIX);
}
