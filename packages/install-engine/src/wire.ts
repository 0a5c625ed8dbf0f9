import type { CanonicalValue } from "./canonical-json.ts";
import { InstallEngineError } from "./error.ts";

/**
 * The canonical texts have snake_case members, the objects in memory camelCase ones. Both directions are one rule, so
 * that no type needs a second description of itself.
 */

type SnakeCase<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : Key;

/** The wire shape of a type: every member renamed to snake_case, at every depth. */
export type Wire<T> = T extends readonly (infer Item)[]
  ? readonly Wire<Item>[]
  : T extends object
    ? { readonly [Key in keyof T & string as SnakeCase<Key>]: Wire<T[Key]> }
    : T;

/** Renames every member to snake_case, at every depth. Strings, also those that are keys of nothing, stay. */
export function toWire(value: unknown): CanonicalValue {
  if (Array.isArray(value)) {
    return value.map(toWire);
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [snakeCase(key), toWire(member)]));
  }
  // The canonical encoder refuses what is no canonical scalar, with the place; this is the boundary in front of it.
  return value as CanonicalValue;
}

/**
 * Renames every member to camelCase, at every depth.
 *
 * @throws InstallEngineError INVALID_VALUE for a key that the wire cannot have, such as one in camelCase already: two
 * spellings of one key must not mean the same.
 */
export function fromWire(value: unknown, path = "$"): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => fromWire(item, `${path}[${index}]`));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const name = camelCase(key);
      if (!/^[a-z][a-z0-9_]*$/.test(key) || snakeCase(name) !== key) {
        throw new InstallEngineError({
          code: "INVALID_VALUE",
          message: `${path}: unknown field ${JSON.stringify(key)}; expected snake_case names`,
          facts: { path, field: key },
        });
      }
      return [name, fromWire(member, `${path}.${key}`)];
    }),
  );
}

/** The wire name of a member. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
