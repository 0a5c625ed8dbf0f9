import { ACTION_LIFE_MS, CONSENT_LIFE_MS } from "../limits.ts";
import { addMilliseconds, compareTimestamps } from "../timestamp.ts";
import {
  actionContentDigest,
  actionIdOf,
  type InstallCapabilityAction,
  type RequestConsentAction,
} from "../types/action.ts";
import type { EngineEventOf } from "../types/event.ts";
import { INSTALLER_DIGEST } from "../types/execution-binding.ts";
import type { EngineState, PlannedInstall } from "../types/state.ts";
import { type Draft, type Reduction, refuseEvent, type Step, withBlocked } from "./draft.ts";

type Decision = EngineEventOf<"UserDecision">;

/** A decision, as the immediately next revision after its request: grants, or blocks the descriptor. */
export function reduceDecision(state: EngineState, reduction: Reduction<Decision>): Step {
  const { event } = reduction;
  const request = requirePendingConsent(state, event);
  requireSameRequest(request, event);
  requireBasis(request, event);
  requireTime(request, event);
  const [planned, ...waiting] = state.waiting;
  if (planned === undefined) {
    throw refuseEvent(event, "CONSENT_NOT_PENDING", "nothing waits for consent");
  }
  const draft: Draft = { ...state, waiting };
  if (event.payload.decision !== "granted") {
    return { draft: withBlocked(draft, request.payload.installPlanDescriptor.descriptorDigest), actions: [] };
  }
  const action = installAction(request, planned, reduction);
  const effect = { effect: "install" as const, action, planned, reboundTargetIdentityDigest: null };
  return { draft: { ...draft, pendingEffects: [...draft.pendingEffects, effect] }, actions: [action] };
}

/** The request lapsed unanswered: the selection is retired, and may be planned again. */
export function reduceConsentExpired(
  state: EngineState,
  reduction: Reduction<EngineEventOf<"InstallConsentExpired">>,
): Step {
  const { event } = reduction;
  const request = requirePendingConsent(state, event);
  if (compareTimestamps(event.occurredAt, request.expiresAt) < 0) {
    throw refuseEvent(event, "CONSENT_NOT_EXPIRED", `the request is open until ${request.expiresAt}`, {
      expiresAt: request.expiresAt,
    });
  }
  return { draft: { ...state, waiting: state.waiting.slice(1) }, actions: [] };
}

function requirePendingConsent(
  state: EngineState,
  event: Decision | EngineEventOf<"InstallConsentExpired">,
): RequestConsentAction {
  const request = state.pendingConsent;
  if (request?.consentId !== event.payload.consentId) {
    throw refuseEvent(event, "CONSENT_NOT_PENDING", "the outstanding consent request is another one; read it again", {
      found: event.payload.consentId,
      expected: request?.consentId ?? null,
    });
  }
  return request;
}

function requireSameRequest(request: RequestConsentAction, event: Decision): void {
  const { payload } = event;
  if (payload.actionId !== request.actionId || payload.actionContentDigest !== actionContentDigest(request)) {
    throw refuseEvent(event, "ACTION_SUBSTITUTED", "the decision names another request action", {
      found: payload.actionContentDigest,
      expected: actionContentDigest(request),
    });
  }
  if (payload.policyDigest !== request.payload.policySnapshotDigest) {
    throw refuseEvent(event, "POLICY_SUBSTITUTED", "the decision names another policy", {
      found: payload.policyDigest,
      expected: request.payload.policySnapshotDigest,
    });
  }
}

/** A policy can only grant, and only what it was asked for; a person may refuse anything (spec 6). */
function requireBasis(request: RequestConsentAction, event: Decision): void {
  const { basis, decision } = event.payload;
  const expected = decision === "granted" ? request.payload.route.basis : "interactive";
  if (basis !== expected) {
    throw refuseEvent(
      event,
      "CONSENT_ROUTE_REFUSED",
      `basis ${basis}, expected ${expected} (${request.payload.route.reason})`,
      {
        found: basis,
        expected,
      },
    );
  }
}

/** A decision is made between the request and its expiry; only `expired` is made after it. */
function requireTime(request: RequestConsentAction, event: Decision): void {
  const { expiresAt } = request;
  const requestedAt = addMilliseconds(expiresAt, -CONSENT_LIFE_MS);
  const over = compareTimestamps(event.occurredAt, expiresAt) >= 0;
  if (event.payload.decision === "expired") {
    if (!over) {
      throw refuseEvent(event, "CONSENT_NOT_EXPIRED", `the request is open until ${expiresAt}`, { expiresAt });
    }
    return;
  }
  if (over || compareTimestamps(event.occurredAt, requestedAt) < 0) {
    throw refuseEvent(
      event,
      "CONSENT_EXPIRED",
      `decided at ${event.occurredAt}, outside ${requestedAt} to ${expiresAt}`,
      {
        occurredAt: event.occurredAt,
        expiresAt,
      },
    );
  }
}

function installAction(
  request: RequestConsentAction,
  planned: PlannedInstall,
  reduction: Reduction,
): InstallCapabilityAction {
  const { event, eventContentDigest, toRevision } = reduction;
  const { selection } = planned;
  const { descriptor, resultMaterial } = selection.authority;
  return {
    actionId: actionIdOf(eventContentDigest, "InstallCapability", selection.capabilityId, 0),
    kind: "InstallCapability",
    scope: event.scope,
    preconditionRevision: toRevision,
    payload: {
      schema: "ctx.install-capability-payload-v3",
      capabilityKind: selection.kind,
      catalogIdentity: selection.catalogIdentity,
      resultMaterial,
      installPlanDescriptor: descriptor,
      installerDigest: INSTALLER_DIGEST,
      policySnapshotDigest: request.payload.policySnapshotDigest,
    },
    privacy: event.privacy,
    protocolVersion: 1,
    entityId: selection.capabilityId,
    sourceDigest: selection.catalogEntryDigest,
    planId: planned.planId,
    catalogSnapshotId: planned.catalogSnapshotDigest,
    consentId: request.consentId,
    leaseId: null,
    expiresAt: addMilliseconds(event.occurredAt, ACTION_LIFE_MS),
    requiredHostFeature: "installation",
    verification: { receiptRequired: true, expectedState: "installed", receiptSchema: "ctx.install-receipt-v3" },
    rollback: { kind: "UninstallCapability", installerId: descriptor.installerId },
  };
}
