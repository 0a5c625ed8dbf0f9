// Node 20 and later have it; the language level of the other files stays what it is.
/// <reference lib="es2024.string" />

/** Whether a string has no lone surrogate: only then it has a UTF-8 encoding. */
export function isWellFormedText(text: string): boolean {
  return text.isWellFormed();
}

/** Only between these does the order by code point differ from JavaScript's own, which is much faster. */
const SURROGATE_OR_ABOVE = /[\ud800-\uffff]/;

/** Orders strings by code point, as fast as these strings allow. */
export function codePointOrder(texts: readonly string[]): (left: string, right: string) => number {
  return texts.some((text) => SURROGATE_OR_ABOVE.test(text)) ? compareCodePoints : compareUnits;
}

function compareUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * Orders two strings by code point. The order of JavaScript is by UTF-16 unit, which puts astral characters before
 * U+E000..U+FFFF; it differs from this one only there.
 */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) {
      return isSurrogate(a) === isSurrogate(b) ? a - b : isSurrogate(a) ? 1 : -1;
    }
  }
  return left.length - right.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
