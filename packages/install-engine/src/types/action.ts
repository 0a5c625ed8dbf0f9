import { z } from "zod";
import { sha256Hex } from "../digest.ts";
import { check, checkCanonicalText } from "../parse.ts";
import { wireText } from "../wire.ts";
import { catalogIdentitySchema } from "./catalog-identity.ts";
import {
  capabilityIdSchema,
  digestSchema,
  installableKindSchema,
  revisionSchema,
  timestampSchema,
  tokenSchema,
  trimmedTextSchema,
} from "./identifiers.ts";
import { installPlanDescriptorSchema } from "./install-plan-descriptor.ts";
import { materialIdentitySchema } from "./material-identity.ts";
import { privacySchema } from "./privacy.ts";
import { scopeSchema } from "./scope.ts";

/** Who may grant an install, and why (spec 3, routing order). */
export const consentRouteSchema = z.discriminatedUnion("basis", [
  z.strictObject({ basis: z.literal("preapproved-policy"), reason: z.literal("matching-preapproved-policy") }),
  z.strictObject({
    basis: z.literal("interactive"),
    reason: z.enum([
      "permission-expansion-requires-consent",
      "credentials-require-consent",
      "per-install-consent-required",
    ]),
  }),
]);

/** Members that every action has, whatever its kind. */
const common = {
  actionId: z.string().regex(/^action-[0-9a-f]{64}$/, "expected action-<64 hex digits>"),
  scope: scopeSchema,
  preconditionRevision: revisionSchema,
  privacy: privacySchema,
  protocolVersion: z.literal(1),
  entityId: capabilityIdSchema,
  sourceDigest: digestSchema,
  planId: trimmedTextSchema,
  catalogSnapshotId: digestSchema,
  consentId: z.string().regex(/^consent-[0-9a-f]{64}$/, "expected consent-<64 hex digits>"),
  leaseId: z.null(),
  expiresAt: timestampSchema,
};

/** The action that asks for consent. */
export const requestConsentActionSchema = z
  .strictObject({
    ...common,
    kind: z.literal("RequestConsent"),
    payload: z
      .strictObject({
        schema: z.literal("mesh.request-consent-payload-v1"),
        capabilityKind: installableKindSchema,
        resultMaterial: materialIdentitySchema,
        installPlanDescriptor: installPlanDescriptorSchema,
        policySnapshotDigest: digestSchema,
        route: consentRouteSchema,
      })
      .readonly(),
    requiredHostFeature: z.literal("consent"),
    verification: z.null(),
    rollback: z.null(),
  })
  .readonly();

/** The action that installs: the contract of spec section 3 for `InstallCapability`, payload schema v3. */
export const installActionSchema = z
  .strictObject({
    ...common,
    kind: z.literal("InstallCapability"),
    payload: z
      .strictObject({
        schema: z.literal("ctx.install-capability-payload-v3"),
        capabilityKind: installableKindSchema,
        catalogIdentity: catalogIdentitySchema,
        resultMaterial: materialIdentitySchema,
        installPlanDescriptor: installPlanDescriptorSchema,
        installerDigest: digestSchema,
        policySnapshotDigest: digestSchema,
      })
      .readonly(),
    requiredHostFeature: z.literal("installation"),
    verification: z
      .strictObject({
        receiptRequired: z.literal(true),
        expectedState: z.literal("installed"),
        receiptSchema: z.literal("ctx.install-receipt-v3"),
      })
      .readonly(),
    rollback: z.strictObject({ kind: z.literal("UninstallCapability"), installerId: tokenSchema }).readonly(),
  })
  .readonly();

/** An action of any kind. */
export const hostActionSchema = z.discriminatedUnion("kind", [requestConsentActionSchema, installActionSchema]);

/** Who may grant an install, and why. */
export type ConsentRoute = z.output<typeof consentRouteSchema>;

/** Asks a host for a decision. */
export type RequestConsentAction = z.output<typeof requestConsentActionSchema>;

/** Asks a host to install; carries everything that driver and receipt need, except the content. */
export type InstallCapabilityAction = z.output<typeof installActionSchema>;

/** What the reducer asks a host to do (spec 3, HostAction, 17 members). */
export type HostAction = RequestConsentAction | InstallCapabilityAction;

/** The canonical text (flavour B) of an action; claims keep it. */
export function hostActionText(action: HostAction): string {
  return wireText(action, "utf8");
}

/** SHA-256 of the canonical text of all 17 members (spec 2.1). Names the stage of a content store. */
export function actionContentDigest(action: HostAction): string {
  return sha256Hex(hostActionText(action));
}

/** SHA-256 of `ctx-engine-action:1:` and the action id (spec 2.1). */
export function actionIdentityDigest(actionId: string): string {
  return sha256Hex(`ctx-engine-action:1:${actionId}`);
}

/** The deterministic id of an action (spec 2.1). */
export function actionIdOf(
  eventContentDigest: string,
  kind: HostAction["kind"],
  capabilityId: string,
  ordinal: number,
): string {
  return `action-${sha256Hex(`ctx-engine-action-v1:${eventContentDigest}:${kind}:${capabilityId}:${ordinal}`)}`;
}

/** The deterministic id of a consent request (spec 2.1). */
export function consentIdOf(eventContentDigest: string, capabilityId: string): string {
  return `consent-${sha256Hex(`ctx-engine-consent-v1:${eventContentDigest}:${capabilityId}`)}`;
}

/**
 * Checks an install action that came from outside.
 *
 * @throws InstallEngineError INVALID_VALUE, DIGEST_MISMATCH
 */
export function checkInstallAction(value: unknown): InstallCapabilityAction {
  return check(installActionSchema, value, "install action");
}

/**
 * Parses the canonical text of an install action, as a claim keeps it.
 *
 * @throws InstallEngineError NOT_CANONICAL, INVALID_VALUE, DIGEST_MISMATCH
 */
export function parseInstallAction(text: string): InstallCapabilityAction {
  return checkCanonicalText(installActionSchema, text, "utf8", "install action");
}
