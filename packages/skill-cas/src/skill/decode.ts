import { SKILL_BYTES_MAX } from "./limits.ts";
import { positionAt, skillInvalid } from "./position.ts";

const BOM = "\uFEFF";

/**
 * The text of a SKILL.md: strict UTF-8, one leading byte order mark taken off, no NUL. Bytes come from whoever wrote the
 * skill.
 *
 * @throws SkillCasError SKILL_INVALID; UTF-16 is refused by name, because its bytes would decode to nonsense.
 */
export function decodeSkill(bytes: Uint8Array): string {
  const start = { line: 1, column: 1 };
  if (bytes.length < 1 || bytes.length > SKILL_BYTES_MAX) {
    throw skillInvalid(start, "size", `${bytes.length} bytes`, `1 to ${SKILL_BYTES_MAX} bytes`);
  }
  const utf16 = utf16Name(bytes);
  if (utf16 !== undefined) {
    throw skillInvalid(start, "encoding", utf16, "UTF-8; save the file in that encoding");
  }
  const text = decodeStrictly(bytes);
  const withoutMark = text.startsWith(BOM) ? text.slice(BOM.length) : text;
  const nul = withoutMark.indexOf("\0");
  if (nul >= 0) {
    throw skillInvalid(positionAt(withoutMark, nul), "characters", "a NUL", "text without NUL");
  }
  return withoutMark;
}

/** With a mark it says so; without one, the `-` of the first line shows it: every second byte is zero. */
function utf16Name(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) {
    return "UTF-16 (little endian)";
  }
  if (first === 0xfe && second === 0xff) {
    return "UTF-16 (big endian)";
  }
  if (first === 0x2d && second === 0) {
    return "UTF-16 (little endian, without byte order mark)";
  }
  return first === 0 && second === 0x2d ? "UTF-16 (big endian, without byte order mark)" : undefined;
}

function decodeStrictly(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const offset = validLength(bytes);
    const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, offset), { stream: true });
    const bad = bytes[offset];
    const found =
      bad === undefined ? "the end of the file within a character" : `byte 0x${bad.toString(16)} at offset ${offset}`;
    throw skillInvalid(positionAt(before, before.length), "encoding", found, "strict UTF-8");
  }
}

/** How many leading bytes are whole UTF-8 characters. */
function validLength(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  // A prefix that decodes in stream mode is valid so far; the longest such prefix ends at the bad byte.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (decodesSoFar(bytes.subarray(0, middle))) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

function decodesSoFar(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
