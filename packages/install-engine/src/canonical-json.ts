import { MemberOrders } from "./canonical-members.ts";
import { InstallEngineError } from "./error.ts";
import { CANONICAL_DEPTH_MAX } from "./limits.ts";
import { isWellFormedText } from "./unicode.ts";

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
  return encodeAsIs[flavour](value);
}

/** Encodes any value, or refuses it like {@link canonicalJson}. */
export type CanonicalEncoder = (value: unknown) => string;

/**
 * Makes encoders, one for each flavour, for objects whose members get other names on the way: `nameOf` is applied to
 * every key, at every depth. What was renamed is never built, because a step of the engine encodes some dozen objects.
 */
export function canonicalEncoders(
  nameOf: (key: string) => string,
): Readonly<Record<CanonicalFlavour, CanonicalEncoder>> {
  const encoderOf = (text: (text: string) => string): CanonicalEncoder => {
    const orders = new MemberOrders(nameOf, text);
    return (value) => encode(value, { text, orders, place: [] });
  };
  return { ascii: encoderOf(encodeAscii), utf8: encoderOf(encodeUtf8) };
}

interface Encoding {
  readonly text: (text: string) => string;
  readonly orders: MemberOrders;
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
  let text = "{";
  for (const { key, name, label } of encoding.orders.of(Object.keys(value))) {
    encoding.place.push(name);
    if (label === undefined) {
      throw refuse(encoding, LONE_SURROGATE);
    }
    text += `${text === "{" ? "" : ","}${label}${encode(Reflect.get(value, key), encoding)}`;
    encoding.place.pop();
  }
  return `${text}}`;
}

function encodeString(value: string, encoding: Encoding): string {
  if (!isWellFormedText(value)) {
    throw refuse(encoding, LONE_SURROGATE);
  }
  return encoding.text(value);
}

const LONE_SURROGATE = "a string with a lone surrogate";

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

function refuse({ place }: Encoding, found: string): InstallEngineError {
  const path = ["$", ...place.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))].join("");
  return new InstallEngineError({
    code: "INVALID_CANONICAL_VALUE",
    message: `${path} has no canonical JSON text: found ${found}`,
    facts: { path },
  });
}

/** The encoders of values whose members are called in memory as they are in the text. */
const encodeAsIs = canonicalEncoders((key) => key);
