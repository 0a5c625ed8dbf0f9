import { z } from "zod";
import { isWellFormedText } from "../unicode.ts";
import { CAPABILITY_ID_CHARACTERS_MAX, TEXT_CHARACTERS_MAX } from "../limits.ts";
import { isTimestamp } from "../timestamp.ts";

/** Lower-case hex SHA-256 (spec 2.2). */
export const digestSchema = z.string().regex(/^[0-9a-f]{64}$/, "expected 64 lower-case hex digits");

/** Token of spec 2.2. */
export const tokenSchema = z.string().regex(/^[a-z0-9][a-z0-9._:@-]{0,127}$/, "expected a lower-case token");

/** Kinds of capability; a harness can be named but not installed (spec 2.2). */
export const capabilityKindSchema = z.enum(["skill", "agent", "mcp-server", "harness"]);

/** Kinds that can be installed. Whether one can be installed here is the driver's word. */
export const installableKindSchema = z.enum(["skill", "agent", "mcp-server"]);

/** `kind:name`, exactly one colon, at most 128 characters (spec 2.2). Attacker-controlled where a catalog is. */
export const capabilityIdSchema = z
  .string()
  .max(CAPABILITY_ID_CHARACTERS_MAX)
  .regex(/^(?:skill|agent|mcp-server|harness):[a-z0-9][a-z0-9._@-]{0,127}$/, "expected kind:name");

/** Required text without blanks around it and without lone surrogates. */
export const trimmedTextSchema = z
  .string()
  .min(1)
  .max(TEXT_CHARACTERS_MAX)
  .refine((text) => text.trim() === text && isWellFormedText(text), "expected text without blanks around it");

/** See `Timestamp`. */
export const timestampSchema = z.string().refine(isTimestamp, "expected a UTC timestamp in its one spelling");

/** Integer of zero or more that JavaScript keeps exactly. */
export const countSchema = z.int().min(0);

/** Journal revision: 1 for the first record of a stream. */
export const revisionSchema = z.int().min(1);

/** Kind of a capability. */
export type CapabilityKind = z.output<typeof capabilityKindSchema>;

/** Kind of a capability that can be installed. */
export type InstallableKind = z.output<typeof installableKindSchema>;

/** What a schema says when {@link idHasKind} is false. */
export const KIND_ISSUE = { path: ["kind"], message: "expected the kind that the capability id starts with" };

/** Whether the prefix of a capability id is its kind. */
export function idHasKind(value: { readonly capabilityId: string; readonly kind: string }): boolean {
  return value.capabilityId.startsWith(`${value.kind}:`);
}
