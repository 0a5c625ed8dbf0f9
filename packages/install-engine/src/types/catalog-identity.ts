import { z } from "zod";
import { check, digestIssue } from "../parse.ts";
import { wireDigest } from "../wire.ts";
import { capabilityIdSchema, capabilityKindSchema, digestSchema, idHasKind, KIND_ISSUE } from "./identifiers.ts";

const members = {
  capabilityId: capabilityIdSchema,
  kind: capabilityKindSchema,
  catalogNamespaceDigest: digestSchema,
};

const inputSchema = z.strictObject(members).refine(idHasKind, KIND_ISSUE);

/** Fields of a catalog identity. */
export const catalogIdentitySchema = z
  .strictObject({ ...members, identityDigest: digestSchema })
  .readonly()
  .refine(idHasKind, KIND_ISSUE)
  .refine((value) => catalogIdentityDigest(value) === value.identityDigest, digestIssue("identityDigest"));

/** A capability as one catalog names it (spec 3). */
export type CatalogCapabilityIdentity = z.output<typeof catalogIdentitySchema>;

/**
 * Makes a catalog identity and computes its digest.
 *
 * @throws InstallEngineError INVALID_VALUE
 */
export function createCatalogIdentity(
  input: Omit<CatalogCapabilityIdentity, "identityDigest">,
): CatalogCapabilityIdentity {
  const value = check(inputSchema, input, "catalog identity");
  return Object.freeze({ ...value, identityDigest: catalogIdentityDigest(value) });
}

/** SHA-256 of A{capability_id, catalog_namespace_digest, kind, schema} (spec 2.1). */
export function catalogIdentityDigest(value: z.output<typeof inputSchema>): string {
  const { capabilityId, kind, catalogNamespaceDigest } = value;
  return wireDigest(
    { capabilityId, kind, catalogNamespaceDigest, schema: "ctx.catalog-capability-identity-v1" },
    "ascii",
  );
}
