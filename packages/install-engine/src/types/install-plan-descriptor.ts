import { z } from "zod";
import { check, checkWire, digestIssue } from "../parse.ts";
import { wireDigest } from "../wire.ts";
import {
  capabilityIdSchema,
  digestSchema,
  idHasKind,
  installableKindSchema,
  KIND_ISSUE,
  tokenSchema,
} from "./identifiers.ts";

const members = {
  capabilityId: capabilityIdSchema,
  kind: installableKindSchema,
  installerId: tokenSchema,
  planDigest: digestSchema,
  provenanceDigest: digestSchema,
  targetScope: z.literal("user"),
  rollbackStrategy: z.literal("atomic-restore"),
  permissionExpansion: z.boolean(),
  credentialRequirement: z.boolean(),
  resultMaterialIdentityDigest: digestSchema,
};

const inputSchema = z.strictObject(members).refine(idHasKind, KIND_ISSUE);

/** Fields of an install plan descriptor, version 2: no command, path, secret or token field exists. */
export const installPlanDescriptorSchema = z
  .strictObject({ ...members, descriptorDigest: digestSchema })
  .readonly()
  .refine(idHasKind, KIND_ISSUE)
  .refine((value) => installPlanDescriptorDigest(value) === value.descriptorDigest, digestIssue("descriptorDigest"));

/** What a plan installs, by which installer, with which risk (spec 3, version 2). */
export type InstallPlanDescriptor = z.output<typeof installPlanDescriptorSchema>;

/** What a descriptor is made from. Scope and rollback have one legal value, the risk flags default to false. */
export type InstallPlanDescriptorInput = Omit<z.output<typeof inputSchema>, keyof typeof DEFAULTS> &
  Partial<typeof DEFAULTS>;

const DEFAULTS: {
  readonly targetScope: "user";
  readonly rollbackStrategy: "atomic-restore";
  readonly permissionExpansion: boolean;
  readonly credentialRequirement: boolean;
} = {
  targetScope: "user",
  rollbackStrategy: "atomic-restore",
  permissionExpansion: false,
  credentialRequirement: false,
};

/**
 * Makes a descriptor and computes its digest.
 *
 * @throws InstallEngineError INVALID_VALUE
 */
export function createInstallPlanDescriptor(input: InstallPlanDescriptorInput): InstallPlanDescriptor {
  const value = check(inputSchema, { ...DEFAULTS, ...input }, "install plan descriptor");
  return Object.freeze({ ...value, descriptorDigest: installPlanDescriptorDigest(value) });
}

/**
 * Parses the wire shape of version 2 and recomputes the digest.
 *
 * @throws InstallEngineError INVALID_VALUE, DIGEST_MISMATCH
 */
export function parseInstallPlanDescriptor(wire: unknown): InstallPlanDescriptor {
  return checkWire(installPlanDescriptorSchema, wire, "install plan descriptor");
}

/** Whether this descriptor promises exactly this material (spec 3, `matches_result_material`). */
export function promisesMaterial(
  descriptor: InstallPlanDescriptor,
  material: { readonly capabilityId: string; readonly kind: string; readonly identityDigest: string },
): boolean {
  return (
    descriptor.capabilityId === material.capabilityId &&
    descriptor.kind === material.kind &&
    descriptor.resultMaterialIdentityDigest === material.identityDigest
  );
}

/**
 * SHA-256 of A{all members, schema} (spec 2.1). Without a result material it is the frozen digest of version 1, which
 * this package computes for its vector and accepts nowhere.
 */
export function installPlanDescriptorDigest(
  value: Omit<z.output<typeof inputSchema>, "resultMaterialIdentityDigest"> & {
    readonly resultMaterialIdentityDigest?: string;
  },
): string {
  const { resultMaterialIdentityDigest } = value;
  return wireDigest(
    {
      capabilityId: value.capabilityId,
      kind: value.kind,
      installerId: value.installerId,
      planDigest: value.planDigest,
      provenanceDigest: value.provenanceDigest,
      targetScope: value.targetScope,
      rollbackStrategy: value.rollbackStrategy,
      permissionExpansion: value.permissionExpansion,
      credentialRequirement: value.credentialRequirement,
      ...(resultMaterialIdentityDigest === undefined
        ? { schema: "ctx.install-plan-descriptor-v1" }
        : { resultMaterialIdentityDigest, schema: "ctx.install-plan-descriptor-v2" }),
    },
    "ascii",
  );
}
