import { type CanonicalFlavour, canonicalEncoders } from "./canonical-json.ts";
import { rememberedText } from "./checked-value.ts";
import { sha256Hex } from "./digest.ts";
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

/**
 * The canonical text of a value with every member renamed to snake_case, at every depth. Strings stay as they are.
 *
 * @throws InstallEngineError INVALID_CANONICAL_VALUE for what is no canonical scalar, with the place.
 */
export function wireText(value: unknown, flavour: CanonicalFlavour): string {
  return rememberedText(value, flavour, () => encodeAsWire[flavour](value));
}

/** Lower-case hex SHA-256 of that text (spec 2.1; flavour `ascii` for rows marked A, `utf8` for rows marked B). */
export function wireDigest(value: unknown, flavour: CanonicalFlavour): string {
  return sha256Hex(wireText(value, flavour));
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
      if (name === undefined) {
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
export const snakeCase = remembered((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** The encoders of values whose members are in camelCase. */
const encodeAsWire = canonicalEncoders(snakeCase);

/** The name in memory of a wire member; undefined for one that no name in memory has. */
const camelCase = remembered((key) => {
  const name = key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return /^[a-z][a-z0-9_]*$/.test(key) && snakeCase(name) === key ? name : undefined;
});

/** Names that are remembered: far more than the types have, while those of a driver's facts are its own. */
const NAMES_MAX = 2_000;

function remembered<Name>(rename: (name: string) => Name): (name: string) => Name {
  const names = new Map<string, Name>();
  return (name) => {
    const known = names.get(name);
    if (known !== undefined) {
      return known;
    }
    const renamed = rename(name);
    if (names.size < NAMES_MAX) {
      names.set(name, renamed);
    }
    return renamed;
  };
}
