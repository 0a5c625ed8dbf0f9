import { CONSENT_LIFE_MS } from "../limits.ts";
import { routeConsent } from "../policy.ts";
import { addMilliseconds } from "../timestamp.ts";
import { actionIdOf, consentIdOf, type RequestConsentAction } from "../types/action.ts";
import type { Draft, Reduction } from "./draft.ts";

/**
 * Asks consent for the selection that waits first: one request is outstanding at a time. It is valid for the next
 * revision alone, so every event that leaves something waiting asks anew.
 */
export function offerConsent(draft: Draft, reduction: Reduction, ordinal: number): RequestConsentAction | null {
  const [first] = draft.waiting;
  if (first === undefined) {
    return null;
  }
  const { event, eventContentDigest, toRevision } = reduction;
  const { selection } = first;
  const { descriptor, resultMaterial } = selection.authority;
  return {
    actionId: actionIdOf(eventContentDigest, "RequestConsent", selection.capabilityId, ordinal),
    kind: "RequestConsent",
    scope: event.scope,
    preconditionRevision: toRevision,
    payload: {
      schema: "mesh.request-consent-payload-v1",
      capabilityKind: selection.kind,
      resultMaterial,
      installPlanDescriptor: descriptor,
      policySnapshotDigest: draft.policy.policyDigest,
      route: routeConsent(draft.policy, descriptor),
    },
    privacy: event.privacy,
    protocolVersion: 1,
    entityId: selection.capabilityId,
    sourceDigest: selection.catalogEntryDigest,
    planId: first.planId,
    catalogSnapshotId: first.catalogSnapshotDigest,
    consentId: consentIdOf(eventContentDigest, selection.capabilityId),
    leaseId: null,
    expiresAt: addMilliseconds(event.occurredAt, CONSENT_LIFE_MS),
    requiredHostFeature: "consent",
    verification: null,
    rollback: null,
  };
}
