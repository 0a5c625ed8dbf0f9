import type { z } from "zod";
import type { CanonicalFlavour } from "./canonical-json.ts";
import { PARSED_TEXTS_MAX } from "./limits.ts";

/**
 * A step of the engine checks and encodes the same few values a dozen times over: an action holds a selection, which holds
 * a descriptor, and each has a digest. What a schema made is frozen at every depth, so what was true of it once stays true.
 */
interface CheckedValue {
  readonly schema: z.ZodType;
  readonly texts: Map<CanonicalFlavour, string>;
}

const checkedValues = new WeakMap<object, CheckedValue>();

/** Remembers a value that a schema has made, unless something in it could still change. */
export function rememberChecked(schema: z.ZodType, value: unknown): void {
  if (typeof value === "object" && value !== null && isFrozenThroughout(value)) {
    checkedValues.set(value, { schema, texts: new Map() });
  }
}

/** Whether exactly this value came out of exactly this schema. */
export function wasChecked(schema: z.ZodType, value: unknown): boolean {
  return typeof value === "object" && value !== null && checkedValues.get(value)?.schema === schema;
}

/** The text that `encode` makes of a value; made once for a value that cannot change. */
export function rememberedText(value: unknown, flavour: CanonicalFlavour, encode: () => string): string {
  const texts = typeof value === "object" && value !== null ? checkedValues.get(value)?.texts : undefined;
  const known = texts?.get(flavour);
  if (known !== undefined) {
    return known;
  }
  const text = encode();
  texts?.set(flavour, text);
  return text;
}

/** Values by the canonical text they were read from, the oldest first. One schema reads one text to one value. */
const parsedTexts = new Map<string, unknown>();

/** The value that this schema has read from this text before; undefined if it has not, or that was long ago. */
export function parsedBefore(schema: z.ZodType, text: string): unknown {
  const value = parsedTexts.get(text);
  return wasChecked(schema, value) ? value : undefined;
}

/** Remembers what a schema has read from a text. */
export function rememberParsed(text: string, value: unknown): void {
  const [oldest] = parsedTexts.keys();
  if (parsedTexts.size >= PARSED_TEXTS_MAX && oldest !== undefined) {
    parsedTexts.delete(oldest);
  }
  parsedTexts.set(text, value);
}

function isFrozenThroughout(value: object): boolean {
  const members: unknown[] = Object.values(value);
  return (
    Object.isFrozen(value) &&
    members.every((member) => typeof member !== "object" || member === null || isFrozenThroughout(member))
  );
}
