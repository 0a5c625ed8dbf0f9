import { z } from "zod";
import { catalogIdentitySchema } from "./catalog-identity.ts";
import {
  capabilityIdSchema,
  digestSchema,
  installableKindSchema,
  revisionSchema,
  trimmedTextSchema,
} from "./identifiers.ts";
import { installPlanDescriptorSchema } from "./install-plan-descriptor.ts";
import { materialIdentitySchema } from "./material-identity.ts";

/** How a receipt and every operator event name the action they are about (spec 7.4). */
const actionReference = {
  actionId: z.string().regex(/^action-[0-9a-f]{64}$/, "expected action-<64 hex digits>"),
  actionKind: z.literal("InstallCapability"),
  actionContentDigest: digestSchema,
  actionPreconditionRevision: revisionSchema,
};

/** What an applied receipt claims to be true of the host (spec 7.4). */
export const installReceiptSchema = z
  .strictObject({
    schema: z.literal("ctx.install-receipt-v3"),
    hostState: z.literal("installed"),
    capabilityId: capabilityIdSchema,
    capabilityKind: installableKindSchema,
    catalogIdentity: catalogIdentitySchema,
    materialIdentity: materialIdentitySchema,
    installPlanDescriptor: installPlanDescriptorSchema,
    installerDigest: digestSchema,
    policySnapshotDigest: digestSchema,
  })
  .readonly();

/** The only failure that can be settled: the driver verified that nothing is there. */
export const FAILURE_VERIFIED_ABSENT = "install-driver-verified-absent";

/** Receipt of an applied install. */
export const actionAppliedPayloadSchema = z
  .strictObject({ ...actionReference, outcomeDigest: digestSchema, verification: installReceiptSchema })
  .readonly();

/** Receipt of a failed install. `retryable` says that absence proved that nothing was applied. */
export const actionFailedPayloadSchema = z
  .strictObject({
    ...actionReference,
    outcomeDigest: digestSchema,
    error: z.strictObject({ code: z.literal(FAILURE_VERIFIED_ABSENT) }).readonly(),
    retryable: z.boolean(),
  })
  .readonly();

/** The action was never claimed and its time is over. */
export const actionExpiredPayloadSchema = z.strictObject(actionReference).readonly();

/** An operator's decision that this action is never going to be settled. */
export const abandonedPayloadSchema = z
  .strictObject({ ...actionReference, operator: trimmedTextSchema, reason: trimmedTextSchema })
  .readonly();

/** Device and inode of a place, as decimal texts. */
const placeSchema = z
  .strictObject({
    targetIdentityDigest: digestSchema,
    device: z.string().regex(/^(?:0|[1-9]\d*)$/, "expected a decimal integer"),
    inode: z.string().regex(/^(?:0|[1-9]\d*)$/, "expected a decimal integer"),
  })
  .readonly();

/** An operator's word that a renumbered place is still the same place. */
export const reboundPayloadSchema = z
  .strictObject({
    ...actionReference,
    targetId: trimmedTextSchema,
    path: trimmedTextSchema,
    from: placeSchema,
    to: placeSchema,
    reason: trimmedTextSchema,
  })
  .readonly();

/** What an applied receipt claims to be true of the host. */
export type InstallReceipt = z.output<typeof installReceiptSchema>;
