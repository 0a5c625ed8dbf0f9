import { z } from "zod";
import { check, digestIssue } from "../parse.ts";
import { wireDigest } from "../wire.ts";
import { capabilityIdSchema, digestSchema, idHasKind, installableKindSchema, KIND_ISSUE } from "./identifiers.ts";

const members = {
  capabilityId: capabilityIdSchema,
  kind: installableKindSchema,
  catalogIdentityDigest: digestSchema,
  materialIdentityDigest: digestSchema,
  originInstallDescriptorDigest: digestSchema,
  installActionContentDigest: digestSchema,
  installReceiptContentDigest: digestSchema,
};

const inputSchema = z.strictObject(members).refine(idHasKind, KIND_ISSUE);

/** Fields of an installed lineage. */
export const installedLineageSchema = z
  .strictObject({ ...members, lineageDigest: digestSchema })
  .readonly()
  .refine(idHasKind, KIND_ISSUE)
  .refine((value) => installedLineageDigest(value) === value.lineageDigest, digestIssue("lineageDigest"));

/** Where an installed material came from: the descriptor, the action and the receipt (spec 3). */
export type InstalledMaterialLineage = z.output<typeof installedLineageSchema>;

/**
 * Makes a lineage and computes its digest.
 *
 * @throws InstallEngineError INVALID_VALUE
 */
export function createInstalledLineage(
  input: Omit<InstalledMaterialLineage, "lineageDigest">,
): InstalledMaterialLineage {
  const value = check(inputSchema, input, "installed material lineage");
  return Object.freeze({ ...value, lineageDigest: installedLineageDigest(value) });
}

/** SHA-256 of A{all members, schema} (spec 2.1). */
export function installedLineageDigest(value: z.output<typeof inputSchema>): string {
  return wireDigest(
    {
      capabilityId: value.capabilityId,
      kind: value.kind,
      catalogIdentityDigest: value.catalogIdentityDigest,
      materialIdentityDigest: value.materialIdentityDigest,
      originInstallDescriptorDigest: value.originInstallDescriptorDigest,
      installActionContentDigest: value.installActionContentDigest,
      installReceiptContentDigest: value.installReceiptContentDigest,
      schema: "ctx.installed-material-lineage-v1",
    },
    "ascii",
  );
}
