import { z } from "zod";
import { sha256Hex } from "../digest.ts";
import { MATERIAL_BYTES_MAX } from "../limits.ts";
import { check, checkWire, digestIssue } from "../parse.ts";
import { wireDigest } from "../wire.ts";
import { capabilityIdSchema, digestSchema, idHasKind, KIND_ISSUE, installableKindSchema } from "./identifiers.ts";

const members = {
  capabilityId: capabilityIdSchema,
  kind: installableKindSchema,
  contentSha256: digestSchema,
  contentBytes: z.int().min(1).max(MATERIAL_BYTES_MAX),
};

const inputSchema = z.strictObject(members).refine(idHasKind, KIND_ISSUE);

/** Fields of a material identity; {@link parseMaterialIdentity} also recomputes the digest. */
export const materialIdentitySchema = z
  .strictObject({ ...members, identityDigest: digestSchema })
  .readonly()
  .refine(idHasKind, KIND_ISSUE)
  .refine((value) => materialIdentityDigest(value) === value.identityDigest, digestIssue("identityDigest"));

/** One exact text of one capability (spec 3). */
export interface MaterialIdentity {
  readonly capabilityId: string;
  readonly kind: "skill" | "agent" | "mcp-server";
  /** SHA-256 of the bytes. */
  readonly contentSha256: string;
  /** Length in bytes, 1 to `MATERIAL_BYTES_MAX`. */
  readonly contentBytes: number;
  readonly identityDigest: string;
}

/** What an identity is made from. */
export type MaterialIdentityInput = Omit<MaterialIdentity, "identityDigest">;

/**
 * Makes a material identity and computes its digest.
 *
 * @throws InstallEngineError INVALID_VALUE
 */
export function createMaterialIdentity(input: MaterialIdentityInput): MaterialIdentity {
  const value = check(inputSchema, input, "material identity");
  return Object.freeze({ ...value, identityDigest: materialIdentityDigest(value) });
}

/** The identity of a text at hand: hashes its UTF-8 bytes. */
export function identifyMaterial(capabilityId: string, kind: MaterialIdentity["kind"], body: string): MaterialIdentity {
  const bytes = Buffer.from(body, "utf8");
  return createMaterialIdentity({ capabilityId, kind, contentSha256: sha256Hex(bytes), contentBytes: bytes.length });
}

/**
 * Parses the wire shape and recomputes the digest.
 *
 * @throws InstallEngineError INVALID_VALUE, DIGEST_MISMATCH
 */
export function parseMaterialIdentity(wire: unknown): MaterialIdentity {
  return checkWire(materialIdentitySchema, wire, "material identity");
}

/** SHA-256 of A{capability_id, content_bytes, content_sha256, kind, schema} (spec 2.1). */
export function materialIdentityDigest(value: MaterialIdentityInput): string {
  const { capabilityId, kind, contentSha256, contentBytes } = value;
  return wireDigest({ capabilityId, kind, contentSha256, contentBytes, schema: "ctx.material-identity-v2" }, "ascii");
}
