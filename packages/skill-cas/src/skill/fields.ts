import {
  COMPATIBILITY_CODE_POINTS_MAX,
  DESCRIPTION_BYTES_MAX,
  DESCRIPTION_CODE_POINTS_MAX,
  METADATA_ENTRIES_MAX,
  NAME_CHARACTERS_MAX,
  TEXT_CODE_POINTS_MAX,
} from "./limits.ts";
import { codePoints, excerpt, skillInvalid } from "./position.ts";
import type { Fields, Located } from "./yaml.ts";

/** The fields of the Agent Skills specification; the reference validator refuses every other. */
const KNOWN = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/** Names that Windows gives to devices: a folder of that name cannot exist there. */
const RESERVED_ON_WINDOWS = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** The frontmatter, checked. */
export interface SkillFields {
  readonly name: string;
  readonly description: string;
  readonly license: string | undefined;
  readonly compatibility: string | undefined;
  readonly metadata: ReadonlyMap<string, string>;
  readonly allowedTools: readonly string[];
}

/**
 * Checks every field against the strict profile (feature-anchors B.6): what every known reader accepts.
 *
 * @throws SkillCasError SKILL_INVALID
 */
export function checkFields(fields: Fields, folder: string | undefined): SkillFields {
  for (const [name, { key }] of fields) {
    if (!KNOWN.includes(name)) {
      throw skillInvalid(key, "frontmatter", `the field ${excerpt(name)}`, `only ${KNOWN.join(", ")}`);
    }
  }
  const name = readName(fields, folder);
  return {
    name,
    description: readDescription(fields),
    license: readOptional(fields, "license", TEXT_CODE_POINTS_MAX),
    compatibility: readOptional(fields, "compatibility", COMPATIBILITY_CODE_POINTS_MAX),
    metadata: readMetadata(fields),
    allowedTools: (readOptional(fields, "allowed-tools", TEXT_CODE_POINTS_MAX) ?? "").split(/\s+/).filter(Boolean),
  };
}

function readName(fields: Fields, folder: string | undefined): string {
  const { value: name, at } = required(fields, "name", NAME_CHARACTERS_MAX);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    throw skillInvalid(at, "name", excerpt(name), "a-z, 0-9 and single hyphens between them");
  }
  if (RESERVED_ON_WINDOWS.test(name)) {
    throw skillInvalid(at, "name", excerpt(name), "a name that Windows does not give to a device");
  }
  if (folder !== undefined && folder !== name) {
    throw skillInvalid(at, "name", excerpt(name), `the name of its folder, ${excerpt(folder)}`);
  }
  return name;
}

function readDescription(fields: Fields): string {
  const { value: description, at } = required(fields, "description", DESCRIPTION_CODE_POINTS_MAX);
  const bytes = Buffer.byteLength(description, "utf8");
  if (bytes > DESCRIPTION_BYTES_MAX) {
    throw skillInvalid(at, "description", `${bytes} bytes`, `at most ${DESCRIPTION_BYTES_MAX} bytes`);
  }
  return description;
}

function readMetadata(fields: Fields): ReadonlyMap<string, string> {
  const field = fields.get("metadata");
  if (field === undefined) {
    return new Map();
  }
  if (!(field.value instanceof Map)) {
    throw skillInvalid(field.at, "metadata", describe(field.value), "a map of texts");
  }
  if (field.value.size > METADATA_ENTRIES_MAX) {
    throw skillInvalid(field.at, "metadata", `${field.value.size} entries`, `at most ${METADATA_ENTRIES_MAX}`);
  }
  const entries = field.value as ReadonlyMap<string, Located<unknown>>;
  return new Map(
    [...entries].map(([key, value]) => [
      checkText({ value: key, at: value.key, key: value.key }, "metadata key", TEXT_CODE_POINTS_MAX),
      checkText(value, `metadata.${excerpt(key)}`, TEXT_CODE_POINTS_MAX),
    ]),
  );
}

function required(fields: Fields, key: string, codePointsMax: number): Pick<Located<string>, "value" | "at"> {
  const field = fields.get(key);
  if (field === undefined) {
    throw skillInvalid({ line: 2, column: 1 }, "frontmatter", `no ${key}`, `the field ${key}`);
  }
  return { value: checkText(field, key, codePointsMax), at: field.at };
}

function readOptional(fields: Fields, key: string, codePointsMax: number): string | undefined {
  const field = fields.get(key);
  return field === undefined ? undefined : checkText(field, key, codePointsMax);
}

/** A text that is one: not blank, well-formed, without control characters but tab and line feed, and short enough. */
function checkText({ value, at }: Located<unknown>, rule: string, codePointsMax: number): string {
  if (typeof value !== "string") {
    throw skillInvalid(at, rule, describe(value), "a text; put it in quotes");
  }
  const length = codePoints(value);
  if (value.trim() === "" || length > codePointsMax) {
    throw skillInvalid(
      at,
      rule,
      `${length} characters${length > 0 && length <= codePointsMax ? ", all blank" : ""}`,
      `1 to ${codePointsMax}`,
    );
  }
  if (/[\p{Cc}\p{Cs}]/u.test(value.replace(/[\t\n]/g, ""))) {
    throw skillInvalid(at, rule, "a control character or half a surrogate pair", "printable text");
  }
  return value;
}

function describe(value: unknown): string {
  if (value === null) {
    return "nothing";
  }
  return value instanceof Map ? "a map" : `a ${typeof value}`;
}
