import type { z } from "zod";
import { type CanonicalFlavour } from "./canonical-json.ts";
import { parsedBefore, rememberChecked, rememberParsed, wasChecked } from "./checked-value.ts";
import { InstallEngineError } from "./error.ts";
import { fromWire, snakeCase, wireText } from "./wire.ts";

/**
 * Checks a value in memory against a schema: exact fields, exact types.
 *
 * @throws InstallEngineError INVALID_VALUE naming the first wrong field, in the fact `field`; DIGEST_MISMATCH if a
 * digest that the value carries does not recompute from its other fields.
 */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown, name: string): z.output<Schema> {
  if (wasChecked(schema, value)) {
    // This very value is an output of this very schema.
    return value as z.output<Schema>;
  }
  const result = schema.safeParse(value);
  if (result.success) {
    rememberChecked(schema, result.data);
    return result.data;
  }
  const issue = result.error.issues[0];
  const place = (issue?.path ?? []).map((step) => (typeof step === "string" ? snakeCase(step) : String(step)));
  if (issue?.code === "unrecognized_keys") {
    place.push(snakeCase(issue.keys[0] ?? ""));
  }
  const field = place.join(".");
  throw new InstallEngineError({
    code: issue?.code === "custom" && issue.params?.["digest"] === true ? "DIGEST_MISMATCH" : "INVALID_VALUE",
    message: `${name}${field === "" ? "" : `: field ${field}`}: ${issue?.message ?? "not valid"}`,
    facts: { type: name, field },
  });
}

/** Like {@link check}, for the snake_case wire shape. Attacker-controlled input enters here. */
export function checkWire<Schema extends z.ZodType>(schema: Schema, wire: unknown, name: string): z.output<Schema> {
  return check(schema, fromWire(wire, name), name);
}

/**
 * Parses a text that must be byte-canonical: re-encoding what was read gives the same text. That also refuses duplicate
 * keys, blanks, other escapes and numbers with a second spelling (spec section 2).
 *
 * @throws InstallEngineError NOT_CANONICAL if the text is no JSON or not the canonical one, INVALID_VALUE otherwise.
 */
export function checkCanonicalText<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  flavour: CanonicalFlavour,
  name: string,
): z.output<Schema> {
  const known = parsedBefore(schema, text);
  if (known !== undefined) {
    // This very schema has read this very text to this value.
    return known as z.output<Schema>;
  }
  let wire: unknown;
  try {
    wire = JSON.parse(text);
  } catch (cause) {
    throw new InstallEngineError({ code: "NOT_CANONICAL", message: `${name}: the text is not JSON`, cause });
  }
  const value = checkWire(schema, wire, name);
  if (wireText(value, flavour) !== text) {
    throw new InstallEngineError({
      code: "NOT_CANONICAL",
      message: `${name}: the text is not in canonical form; expected sorted keys, no blanks and no duplicate keys`,
    });
  }
  rememberParsed(text, value);
  return value;
}

/** What a schema says when the digest in `field` does not recompute from the other fields. */
export function digestIssue(field: string): { path: string[]; message: string; params: { digest: true } } {
  return { path: [field], message: "does not recompute from the other fields", params: { digest: true } };
}
