// Node 20 and later have it; the language level of the other files stays what it is.
/// <reference lib="es2024.string" />
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
  return encodeCanonical(value, flavour, (key) => key);
}

/**
 * The same for an object whose members get other names on the way: `nameOf` is applied to every key, at every depth.
 * What was renamed is never built, because a step of the engine encodes some dozen objects.
 */
export function encodeCanonical(value: unknown, flavour: CanonicalFlavour, nameOf: (key: string) => string): string {
  const text = flavour === "ascii" ? encodeAscii : encodeUtf8;
  return encode(value, { text, nameOf, place: [] });
}

interface Encoding {
  readonly text: (text: string) => string;
  readonly nameOf: (key: string) => string;
  /** Where the encoder is: keys and indexes from the outermost value on. */
  readonly place: (string | number)[];
}

function encode(value: unknown, encoding: Encoding): string {
  if (encoding.place.length > CANONICAL_DEPTH_MAX) {
    throw refuse(encoding, `nested deeper than ${CANONICAL_DEPTH_MAX}`);
  }
  switch (typeof value) {
    case "string":
      return encodeString(value, encoding);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return value.toString();
    case "number":
      // -0 has two texts in the world of JSON; only 0 is canonical.
      if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
        throw refuse(encoding, `number ${String(value)}; expected a safe integer or a bigint`);
      }
      return value.toString();
    case "object":
      if (value === null) {
        return "null";
      }
      return Array.isArray(value) ? encodeArray(value, encoding) : encodeObject(value, encoding);
    case "undefined":
    case "function":
    case "symbol":
      throw refuse(encoding, `a ${typeof value}`);
  }
}

function encodeArray(items: readonly unknown[], encoding: Encoding): string {
  const texts = items.map((item, index) => {
    encoding.place.push(index);
    const text = encode(item, encoding);
    encoding.place.pop();
    return text;
  });
  return `[${texts.join(",")}]`;
}

function encodeObject(value: object, encoding: Encoding): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw refuse(encoding, "an object that is not plain data");
  }
  const members = Object.entries(value).map(([key, member]) => ({
    name: encoding.nameOf(key),
    member: member as unknown,
  }));
  const compare = members.some(({ name }) => SURROGATE_OR_ABOVE.test(name)) ? compareCodePoints : compareUnits;
  members.sort((left, right) => compare(left.name, right.name));
  const texts = members.map(({ name, member }) => encodeMember(name, member, encoding));
  return `{${texts.join(",")}}`;
}

function encodeMember(name: string, member: unknown, encoding: Encoding): string {
  encoding.place.push(name);
  const text = `${encodeString(name, encoding)}:${encode(member, encoding)}`;
  encoding.place.pop();
  return text;
}

function encodeString(value: string, encoding: Encoding): string {
  if (!isWellFormedText(value)) {
    throw refuse(encoding, "a string with a lone surrogate");
  }
  return encoding.text(value);
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
  return text.isWellFormed();
}

/** Only between these does the order by code point differ from JavaScript's own, which is much faster. */
const SURROGATE_OR_ABOVE = /[\ud800-\uffff]/;

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

function refuse({ place }: Encoding, found: string): InstallEngineError {
  const path = ["$", ...place.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))].join("");
  return new InstallEngineError({
    code: "INVALID_CANONICAL_VALUE",
    message: `${path} has no canonical JSON text: found ${found}`,
    facts: { path },
  });
}
