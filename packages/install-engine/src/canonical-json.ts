import { InstallEngineError } from "./error.ts";
import { CANONICAL_DEPTH_MAX } from "./limits.ts";

/** A value that has exactly one canonical text: no floats, no undefined, no lone surrogates. */
export type CanonicalValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly CanonicalValue[]
  | { readonly [key: string]: CanonicalValue };

/**
 * `ascii` is flavour A of spec section 2 (everything outside 0x20..0x7e escaped), `utf8` is flavour B
 * (`ctx-canonical-json-v1`, raw UTF-8).
 */
export type CanonicalFlavour = "ascii" | "utf8";

/**
 * Encodes a value as canonical JSON: keys sorted by code point, no blanks, integers only (spec section 2).
 *
 * @throws InstallEngineError INVALID_CANONICAL_VALUE for a float, an unsafe integer (use bigint), undefined, a lone
 * surrogate or nesting deeper than `CANONICAL_DEPTH_MAX`; the fact `path` says where.
 */
export function canonicalJson(value: CanonicalValue, flavour: CanonicalFlavour): string {
  return encode(value, flavour === "ascii" ? encodeAscii : encodeUtf8, "$", 0);
}

type StringEncoder = (text: string) => string;

function encode(value: unknown, text: StringEncoder, path: string, depth: number): string {
  if (depth > CANONICAL_DEPTH_MAX) {
    throw refuse(path, `nested deeper than ${CANONICAL_DEPTH_MAX}`);
  }
  switch (typeof value) {
    case "string":
      return encodeString(value, text, path);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return value.toString();
    case "number":
      // -0 has two texts in the world of JSON; only 0 is canonical.
      if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
        throw refuse(path, `number ${String(value)}; expected a safe integer or a bigint`);
      }
      return value.toString();
    case "object":
      return value === null ? "null" : encodeComposite(value, text, path, depth);
    case "undefined":
    case "function":
    case "symbol":
      throw refuse(path, `a ${typeof value}`);
  }
}

function encodeComposite(value: object, text: StringEncoder, path: string, depth: number): string {
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => encode(item, text, `${path}[${index}]`, depth + 1)).join(",")}]`;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw refuse(path, "an object that is not plain data");
  }
  const members = Object.entries(value).sort(([left], [right]) => compareCodePoints(left, right));
  const texts = members.map(([key, member]) => {
    const memberPath = `${path}.${key}`;
    return `${encodeString(key, text, memberPath)}:${encode(member, text, memberPath, depth + 1)}`;
  });
  return `{${texts.join(",")}}`;
}

function encodeString(value: string, text: StringEncoder, path: string): string {
  if (!isWellFormedText(value)) {
    throw refuse(path, "a string with a lone surrogate");
  }
  return text(value);
}

/** JSON.stringify has the short escapes and the lower-case `\u00xx` of flavour B already. */
function encodeUtf8(value: string): string {
  return JSON.stringify(value);
}

/** Flavour A also escapes DEL and every UTF-16 unit above it, so surrogate pairs become two escapes. */
function encodeAscii(value: string): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Whether a string has no lone surrogate: only then it has a UTF-8 encoding. */
export function isWellFormedText(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
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

function refuse(path: string, found: string): InstallEngineError {
  return new InstallEngineError({
    code: "INVALID_CANONICAL_VALUE",
    message: `${path} has no canonical JSON text: found ${found}`,
    facts: { path },
  });
}
