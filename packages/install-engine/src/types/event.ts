import { z } from "zod";
import { sha256Hex } from "../digest.ts";
import { check } from "../parse.ts";
import { wireText } from "../wire.ts";
import { consentPolicySchema } from "./consent-policy.ts";
import { digestSchema, timestampSchema, tokenSchema, trimmedTextSchema } from "./identifiers.ts";
import {
  abandonedPayloadSchema,
  actionAppliedPayloadSchema,
  actionExpiredPayloadSchema,
  actionFailedPayloadSchema,
  reboundPayloadSchema,
} from "./event-payload.ts";
import { isJournalable, privacySchema } from "./privacy.ts";
import { scopeSchema } from "./scope.ts";
import { selectionSchema } from "./selection.ts";

const consentIdSchema = z.string().regex(/^consent-[0-9a-f]{64}$/, "expected consent-<64 hex digits>");
const actionIdSchema = z.string().regex(/^action-[0-9a-f]{64}$/, "expected action-<64 hex digits>");

/** The members of an event besides kind and payload (spec 3, EngineEvent, 19 members). */
const common = {
  eventId: trimmedTextSchema,
  scope: scopeSchema,
  /** Revision of the stream that the event was made for; 0 before its first record. */
  expectedRevision: z.int().min(0),
  occurredAt: timestampSchema,
  privacy: privacySchema.refine(isJournalable, "expected a retention that a journal may keep"),
  protocolVersion: z.literal(1),
  correlationId: trimmedTextSchema,
  causationId: trimmedTextSchema.nullable(),
  engineVersion: tokenSchema,
  plannerVersion: tokenSchema.nullable(),
  policyVersion: tokenSchema.nullable(),
  hostDescriptorDigest: digestSchema.nullable(),
  catalogSnapshotDigest: digestSchema,
  semanticModelDigest: digestSchema.nullable(),
  semanticIndexDigest: digestSchema.nullable(),
  workSignature: digestSchema.nullable(),
  randomSeed: z.null(),
};

const planPayloadSchema = z
  .strictObject({
    schema: z.literal("mesh.plan-committed-v1"),
    selection: selectionSchema,
    policy: consentPolicySchema,
  })
  .readonly();

const decisionPayloadSchema = z
  .strictObject({
    schema: z.literal("mesh.user-decision-v1"),
    consentId: consentIdSchema,
    actionId: actionIdSchema,
    actionContentDigest: digestSchema,
    decision: z.enum(["granted", "denied", "expired"]),
    basis: z.enum(["interactive", "preapproved-policy"]),
    policyDigest: digestSchema,
  })
  .readonly();

const consentExpiredPayloadSchema = z
  .strictObject({ schema: z.literal("mesh.consent-expired-v1"), consentId: consentIdSchema })
  .readonly();

const reofferedPayloadSchema = z
  .strictObject({
    schema: z.literal("mesh.install-reoffered-v1"),
    actionId: actionIdSchema,
    policy: consentPolicySchema,
  })
  .readonly();

function event<Kind extends string, Payload extends z.ZodType>(kind: Kind, payload: Payload) {
  return z.strictObject({ ...common, kind: z.literal(kind), payload }).readonly();
}

/** Every event the reducer knows. */
export const engineEventSchema = z.discriminatedUnion("kind", [
  event("PlanCommitted", planPayloadSchema),
  event("UserDecision", decisionPayloadSchema),
  event("InstallConsentExpired", consentExpiredPayloadSchema),
  event("ActionApplied", actionAppliedPayloadSchema),
  event("ActionFailed", actionFailedPayloadSchema),
  event("ActionExpired", actionExpiredPayloadSchema),
  event("InstallReoffered", reofferedPayloadSchema),
  event("InstallAbandoned", abandonedPayloadSchema),
  event("InstallTargetRebound", reboundPayloadSchema),
]);

/** What happened. The only thing that changes a state. */
export type EngineEvent = z.output<typeof engineEventSchema>;

/** One kind of event. */
export type EngineEventOf<Kind extends EngineEvent["kind"]> = Extract<EngineEvent, { readonly kind: Kind }>;

/** The canonical text (flavour B) of an event. */
export function engineEventText(event: EngineEvent): string {
  return wireText(event, "utf8");
}

/** SHA-256 of the canonical text of all 19 members (spec 2.1). */
export function eventContentDigest(event: EngineEvent): string {
  return sha256Hex(engineEventText(event));
}

/** SHA-256 of `ctx-engine-event:1:` and the event id (spec 2.1). */
export function eventIdentityDigest(eventId: string): string {
  return sha256Hex(`ctx-engine-event:1:${eventId}`);
}

/**
 * Checks an event: exact fields, exact types.
 *
 * @throws InstallEngineError INVALID_VALUE, DIGEST_MISMATCH
 */
export function checkEngineEvent(value: unknown): EngineEvent {
  return check(engineEventSchema, value, "engine event");
}
