import { z } from "zod";
import { SELECTIONS_WAITING_MAX } from "../limits.ts";
import { checkCanonicalText } from "../parse.ts";
import { wireText } from "../wire.ts";
import { installActionSchema, requestConsentActionSchema } from "./action.ts";
import { consentPolicySchema } from "./consent-policy.ts";
import { digestSchema, revisionSchema, timestampSchema, trimmedTextSchema } from "./identifiers.ts";
import { installedLineageSchema } from "./lineage.ts";
import { materialIdentitySchema } from "./material-identity.ts";
import { selectionSchema } from "./selection.ts";

/** A selection with the plan and the catalog it came from. */
const plannedInstallSchema = z
  .strictObject({
    planId: trimmedTextSchema,
    catalogSnapshotDigest: digestSchema,
    selection: selectionSchema,
  })
  .readonly();

const pendingEffectSchema = z
  .strictObject({
    effect: z.literal("install"),
    action: installActionSchema,
    planned: plannedInstallSchema,
    /** The target that an operator rebound this action to; null while it is that of the claim. */
    reboundTargetIdentityDigest: digestSchema.nullable(),
  })
  .readonly();

const reofferableSchema = z
  .strictObject({
    actionId: z.string(),
    reason: z.enum(["verified-absent", "action-expired"]),
    planned: plannedInstallSchema,
  })
  .readonly();

const installedSchema = z
  .strictObject({ material: materialIdentitySchema, lineage: installedLineageSchema, installedAt: timestampSchema })
  .readonly();

/** Fields of the state of one stream. Lists keep the order in which things came. */
const stateSchema = z
  .strictObject({
    schema: z.literal("mesh.install-state-v1"),
    revision: revisionSchema,
    policy: consentPolicySchema,
    /** Planned and not yet decided; at most one per capability. The first one is what consent is asked for. */
    waiting: z.array(plannedInstallSchema).max(SELECTIONS_WAITING_MAX).readonly(),
    /** The one outstanding consent request; valid for the next revision alone. */
    pendingConsent: requestConsentActionSchema.nullable(),
    /** Granted and not yet settled, expired or abandoned; at most one per capability. */
    pendingEffects: z.array(pendingEffectSchema).readonly(),
    /** Proven not to have happened, so they may be offered again; at most one per capability. */
    reofferable: z.array(reofferableSchema).readonly(),
    /** Settled as applied; one per capability. Inactive: activation is another action. */
    installed: z.array(installedSchema).readonly(),
    blockedInstallDescriptorDigests: z.array(digestSchema).readonly(),
  })
  .readonly();

/** The state of one stream: what the events so far amount to. */
export type EngineState = z.output<typeof stateSchema>;

/** A selection with the plan and the catalog it came from. */
export type PlannedInstall = z.output<typeof plannedInstallSchema>;

/** An install that was granted and is not closed yet. */
export type PendingEffect = z.output<typeof pendingEffectSchema>;

/** A capability that is settled as applied. */
export type InstalledCapability = z.output<typeof installedSchema>;

/** The canonical text (flavour B) of a state. */
export function engineStateText(state: EngineState): string {
  return wireText(state, "utf8");
}

/**
 * Parses the text of a journal record or a projection.
 *
 * @throws InstallEngineError NOT_CANONICAL, INVALID_VALUE, DIGEST_MISMATCH
 */
export function parseEngineState(text: string): EngineState {
  return checkCanonicalText(stateSchema, text, "utf8", "engine state");
}
