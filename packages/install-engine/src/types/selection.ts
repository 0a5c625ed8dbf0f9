import { z } from "zod";
import { InstallEngineError } from "../error.ts";
import { MATCHING_SIGNALS_MAX, REASON_CODES_MAX } from "../limits.ts";
import { check, checkWire } from "../parse.ts";
import { wireDigest } from "../wire.ts";
import { catalogIdentitySchema } from "./catalog-identity.ts";
import {
  capabilityIdSchema,
  digestSchema,
  idHasKind,
  installableKindSchema,
  KIND_ISSUE,
  tokenSchema,
  trimmedTextSchema,
} from "./identifiers.ts";
import { installPlanDescriptorSchema, promisesMaterial } from "./install-plan-descriptor.ts";
import { materialIdentitySchema } from "./material-identity.ts";

/**
 * A planner's choice to install one capability (spec 3, CapabilityPlanSelectionV3, of which this package knows the
 * install authority alone). Every id and digest that occurs twice must agree.
 */
export const selectionSchema = z
  .strictObject({
    actionability: z.literal("install"),
    authority: z
      .strictObject({
        type: z.literal("install"),
        descriptor: installPlanDescriptorSchema,
        resultMaterial: materialIdentitySchema,
      })
      .readonly(),
    benefit: z
      .strictObject({
        tier: z.literal("executable"),
        individualNetBenefitU: z.int(),
        marginalNetBenefitU: z.int().min(1),
      })
      .readonly(),
    capabilityId: capabilityIdSchema,
    catalogEntryDigest: digestSchema,
    catalogIdentity: catalogIdentitySchema,
    installDescriptorDigest: digestSchema,
    installPlanDigest: digestSchema,
    kind: installableKindSchema,
    matchingSignals: z.array(tokenSchema).max(MATCHING_SIGNALS_MAX).readonly(),
    name: trimmedTextSchema,
    normalizedScorePpm: z.int().min(0).max(1_000_000),
    reasonCodes: z.array(tokenSchema).max(REASON_CODES_MAX).readonly(),
  })
  .readonly()
  .refine(idHasKind, KIND_ISSUE);

/** A planner's choice to install one capability. */
export type InstallSelection = z.output<typeof selectionSchema>;

/** What a selection is made from; what a planner without scores has no opinion on may be left out. */
export type InstallSelectionInput = Pick<InstallSelection, "authority" | "catalogIdentity" | "catalogEntryDigest"> &
  Partial<Pick<InstallSelection, "benefit" | "matchingSignals" | "name" | "normalizedScorePpm" | "reasonCodes">>;

/**
 * Makes a selection; ids, kinds and digests are those of the descriptor.
 *
 * @throws InstallEngineError INVALID_VALUE, SELECTION_SUBSTITUTED if the parts do not belong together.
 */
export function createInstallSelection(input: InstallSelectionInput): InstallSelection {
  const { descriptor } = input.authority;
  return checkInstallSelection({
    actionability: "install",
    benefit: { tier: "executable", individualNetBenefitU: 1, marginalNetBenefitU: 1 },
    matchingSignals: [],
    name: descriptor.capabilityId.slice(descriptor.kind.length + 1),
    normalizedScorePpm: 0,
    reasonCodes: [],
    ...input,
    capabilityId: descriptor.capabilityId,
    installDescriptorDigest: descriptor.descriptorDigest,
    installPlanDigest: descriptor.planDigest,
    kind: descriptor.kind,
  });
}

/**
 * Parses the wire shape of a selection.
 *
 * @throws InstallEngineError INVALID_VALUE, DIGEST_MISMATCH, SELECTION_SUBSTITUTED
 */
export function parseInstallSelection(wire: unknown): InstallSelection {
  return requireConsistent(checkWire(selectionSchema, wire, "install selection"));
}

/** {@link parseInstallSelection} for a value in memory. */
export function checkInstallSelection(value: unknown): InstallSelection {
  return requireConsistent(check(selectionSchema, value, "install selection"));
}

/** SHA-256 of the canonical text (flavour B) of a selection. */
export function installSelectionDigest(selection: InstallSelection): string {
  return wireDigest(selection, "utf8");
}

function requireConsistent(selection: InstallSelection): InstallSelection {
  const { authority, catalogIdentity } = selection;
  const { descriptor, resultMaterial } = authority;
  const pairs: readonly (readonly [member: string, found: string, expected: string])[] = [
    ["authority.descriptor.capability_id", descriptor.capabilityId, selection.capabilityId],
    ["authority.descriptor.kind", descriptor.kind, selection.kind],
    ["catalog_identity.capability_id", catalogIdentity.capabilityId, selection.capabilityId],
    ["catalog_identity.kind", catalogIdentity.kind, selection.kind],
    ["install_descriptor_digest", selection.installDescriptorDigest, descriptor.descriptorDigest],
    ["install_plan_digest", selection.installPlanDigest, descriptor.planDigest],
    ["authority.result_material.capability_id", resultMaterial.capabilityId, descriptor.capabilityId],
    [
      "authority.result_material.identity_digest",
      resultMaterial.identityDigest,
      descriptor.resultMaterialIdentityDigest,
    ],
  ];
  for (const [member, found, expected] of pairs) {
    if (found !== expected) {
      throw new InstallEngineError({
        code: "SELECTION_SUBSTITUTED",
        message: `install selection: ${member} is ${found}, but the other parts say ${expected}`,
        facts: { member, found, expected },
      });
    }
  }
  if (!promisesMaterial(descriptor, resultMaterial)) {
    throw new InstallEngineError({
      code: "SELECTION_SUBSTITUTED",
      message: "install selection: the descriptor does not promise this material",
      facts: { member: "authority.result_material" },
    });
  }
  return selection;
}
