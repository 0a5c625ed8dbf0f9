import { sha256Hex } from "../digest.ts";
import type { JournalRecord } from "../journal/rows.ts";
import type { ClaimRequest, CommitRequest, OutcomeRequest } from "../journal.ts";
import { type SealedStep, sealStep } from "../reducer/replay.ts";
import type { Timestamp } from "../timestamp.ts";
import {
  actionContentDigest,
  hostActionText,
  type InstallCapabilityAction,
  type RequestConsentAction,
} from "../types/action.ts";
import { createCatalogIdentity } from "../types/catalog-identity.ts";
import { createConsentPolicy } from "../types/consent-policy.ts";
import { checkEngineEvent, type EngineEvent } from "../types/event.ts";
import { FAILURE_VERIFIED_ABSENT } from "../types/event-payload.ts";
import { createExecutionBinding, executionBindingText, INSTALLER_DIGEST } from "../types/execution-binding.ts";
import { createInstallPlanDescriptor } from "../types/install-plan-descriptor.ts";
import { identifyMaterial } from "../types/material-identity.ts";
import { PRIVACY_DEFAULT } from "../types/privacy.ts";
import { createScope, type ScopeRef, streamKeyOf } from "../types/scope.ts";
import { createInstallSelection } from "../types/selection.ts";

/** When every event of a script happens; its actions expire {@link ACTION_LIFE_MS} later. */
export const SCRIPT_TIME: Timestamp = "2026-08-01T12:00:00Z";

/** How far the event ids of a fork are from those of its origin. */
const FORK_EVENTS = 1000;

const CATALOG_DIGEST = sha256Hex("catalog");

/** Which driver the claims of a script name. */
export const SCRIPT_BINDING = createExecutionBinding({
  driverId: "script-installer-v1",
  driverDigest: INSTALLER_DIGEST,
  hostIdentityDigest: sha256Hex("host"),
  targetIdentityDigest: sha256Hex("target"),
});

/**
 * The history of one stream as an engine would write it, made by the pure core alone: real events, reduced and sealed.
 * It holds no store; what it gives is handed to the store under test.
 */
export class StreamScript {
  readonly scope: ScopeRef;
  readonly streamKey: string;
  #step: SealedStep | null = null;
  #events = 0;

  constructor(sessionId: string) {
    this.scope = createScope({
      tenantId: "tenant-1",
      workspaceId: "workspace-1",
      repositoryId: "repository-1",
      sessionId,
    });
    this.streamKey = streamKeyOf(this.scope);
  }

  /** The newest record so far. */
  get head(): JournalRecord {
    if (this.#step === null) {
      throw new Error("the script has no event yet");
    }
    return this.#step.record;
  }

  /** Another history that begins with this one: what is added to the one is not in the other. */
  fork(): StreamScript {
    const fork = new StreamScript(this.scope.sessionId);
    fork.#step = this.#step;
    fork.#events = this.#events + FORK_EVENTS;
    return fork;
  }

  /** A capability is desired. */
  plan(name: string, eventId?: string): JournalRecord {
    const capabilityId = `skill:${name}`;
    const resultMaterial = identifyMaterial(capabilityId, "skill", `# ${name}\n`);
    const descriptor = createInstallPlanDescriptor({
      capabilityId,
      kind: "skill",
      installerId: SCRIPT_BINDING.driverId,
      planDigest: sha256Hex(`plan of ${name}`),
      provenanceDigest: sha256Hex("provenance"),
      resultMaterialIdentityDigest: resultMaterial.identityDigest,
    });
    const catalogIdentity = createCatalogIdentity({
      capabilityId,
      kind: "skill",
      catalogNamespaceDigest: sha256Hex("catalog-namespace-v1"),
    });
    const selection = createInstallSelection({
      authority: { type: "install", descriptor, resultMaterial },
      catalogIdentity,
      catalogEntryDigest: sha256Hex(`entry of ${name}`),
    });
    const payload = { schema: "mesh.plan-committed-v1", selection, policy: createConsentPolicy() };
    return this.#add("PlanCommitted", payload, eventId);
  }

  /** The outstanding request is granted: the record issues the action. */
  grant(): { readonly record: JournalRecord; readonly action: InstallCapabilityAction } {
    const request = this.#outstanding();
    const record = this.#add("UserDecision", {
      schema: "mesh.user-decision-v1",
      consentId: request.consentId,
      actionId: request.actionId,
      actionContentDigest: actionContentDigest(request),
      decision: "granted",
      basis: "interactive",
      policyDigest: request.payload.policySnapshotDigest,
    });
    const action = this.#step?.state.pendingEffects.at(-1)?.action;
    if (action === undefined) {
      throw new Error("the decision issued no action");
    }
    return { record, action };
  }

  /** The outstanding request was answered by nobody in time. */
  expireConsent(): JournalRecord {
    const { consentId, expiresAt } = this.#outstanding();
    const payload = { schema: "mesh.consent-expired-v1", consentId };
    return this.#add("InstallConsentExpired", payload, undefined, undefined, expiresAt);
  }

  /** The receipt of an outcome that was recorded for an action. */
  receipt(action: InstallCapabilityAction, outcome: "applied" | "failed", outcomeDigest: string): JournalRecord {
    const { payload } = action;
    const common = { ...reference(action), outcomeDigest };
    const eventId = `ctx-install-receipt-${outcomeDigest}`;
    if (outcome === "failed") {
      const error = { code: FAILURE_VERIFIED_ABSENT };
      return this.#add("ActionFailed", { ...common, error, retryable: true }, eventId, action);
    }
    const verification = {
      schema: "ctx.install-receipt-v3",
      hostState: "installed",
      capabilityId: payload.resultMaterial.capabilityId,
      capabilityKind: payload.capabilityKind,
      catalogIdentity: payload.catalogIdentity,
      materialIdentity: payload.resultMaterial,
      installPlanDescriptor: payload.installPlanDescriptor,
      installerDigest: payload.installerDigest,
      policySnapshotDigest: payload.policySnapshotDigest,
    };
    return this.#add("ActionApplied", { ...common, verification }, eventId, action);
  }

  /** The action was not claimed in time. */
  expire(action: InstallCapabilityAction): JournalRecord {
    return this.#add("ActionExpired", reference(action), undefined, undefined, action.expiresAt);
  }

  /** An operator gives an action up. */
  abandon(action: InstallCapabilityAction): JournalRecord {
    return this.#add("InstallAbandoned", { ...reference(action), operator: "operator-1", reason: "never settles" });
  }

  /** An operator says that a renumbered place is the same. */
  rebind(action: InstallCapabilityAction): JournalRecord {
    return this.#add("InstallTargetRebound", {
      ...reference(action),
      targetId: "target-id",
      path: "/target",
      from: { targetIdentityDigest: SCRIPT_BINDING.targetIdentityDigest, device: "1", inode: "2" },
      to: { targetIdentityDigest: sha256Hex("target renumbered"), device: "3", inode: "4" },
      reason: "remounted",
    });
  }

  #outstanding(): RequestConsentAction {
    const request = this.#step?.state.pendingConsent;
    if (request === undefined || request === null) {
      throw new Error("nothing waits for consent");
    }
    return request;
  }

  #add(
    kind: string,
    payload: object,
    eventId?: string,
    action?: InstallCapabilityAction,
    time = SCRIPT_TIME,
  ): JournalRecord {
    this.#events += 1;
    const event: EngineEvent = checkEngineEvent({
      kind,
      payload,
      eventId: eventId ?? `event-${this.scope.sessionId}-${this.#events}`,
      scope: this.scope,
      expectedRevision: this.#step?.record.revision ?? 0,
      occurredAt: time,
      privacy: PRIVACY_DEFAULT,
      protocolVersion: 1,
      correlationId: action?.planId ?? `plan-${this.scope.sessionId}`,
      causationId: action?.actionId ?? null,
      engineVersion: "script-1",
      plannerVersion: null,
      policyVersion: null,
      hostDescriptorDigest: null,
      catalogSnapshotDigest: CATALOG_DIGEST,
      semanticModelDigest: null,
      semanticIndexDigest: null,
      workSignature: null,
      randomSeed: null,
    });
    this.#step = sealStep(this.#step?.state ?? null, this.#step?.record.recordDigest ?? null, event);
    return this.#step.record;
  }
}

function reference(action: InstallCapabilityAction): object {
  return {
    actionId: action.actionId,
    actionKind: action.kind,
    actionContentDigest: actionContentDigest(action),
    actionPreconditionRevision: action.preconditionRevision,
  };
}

/** The commit of an event that nothing but its revision guards. */
export function plain(record: JournalRecord): CommitRequest {
  return { record, guard: { kind: "none" } };
}

/** The commit of a decision that may come at any time. */
export function decided(record: JournalRecord): CommitRequest {
  return { record, guard: { kind: "decision", notAfter: "9999-12-31T23:59:59Z" } };
}

/** The claim of an action at a head. */
export function claimRequest(action: InstallCapabilityAction, head: JournalRecord): ClaimRequest {
  return {
    streamKey: head.streamKey,
    actionId: action.actionId,
    actionContentDigest: actionContentDigest(action),
    preconditionRevision: action.preconditionRevision,
    actionText: hostActionText(action),
    actionExpiresAt: action.expiresAt,
    expectedHead: { revision: head.revision, recordDigest: head.recordDigest },
    authorizationDigest: sha256Hex(`authorization of ${action.actionId}`),
    executionBindingText: executionBindingText(SCRIPT_BINDING),
    executionBindingDigest: SCRIPT_BINDING.bindingDigest,
    besideText: null,
  };
}

/** What a driver would report of an action. */
export function outcomeRequest(
  streamKey: string,
  action: InstallCapabilityAction,
  outcome: "applied" | "failed",
): OutcomeRequest {
  return {
    streamKey,
    actionId: action.actionId,
    actionContentDigest: actionContentDigest(action),
    executionBindingDigest: SCRIPT_BINDING.bindingDigest,
    outcome,
    observedMaterialIdentityDigest: outcome === "applied" ? action.payload.resultMaterial.identityDigest : null,
    verificationDigest: sha256Hex(`observation of ${action.actionId}: ${outcome}`),
    besideText: null,
  };
}

/** The commit of an event that is about an action. */
export function withGuard(
  record: JournalRecord,
  action: InstallCapabilityAction,
  kind: "expire-action" | "rebind" | "abandon",
): CommitRequest {
  const reference = { actionId: action.actionId, actionContentDigest: actionContentDigest(action) };
  return kind === "expire-action"
    ? { record, guard: { kind, ...reference, expiresAt: action.expiresAt } }
    : { record, guard: { kind, ...reference } };
}

/** The commit that settles an action. */
export function settleRequest(
  record: JournalRecord,
  action: InstallCapabilityAction,
  outcome: "applied" | "failed",
  outcomeDigest: string,
): CommitRequest {
  return {
    record,
    guard: {
      kind: "settle",
      actionId: action.actionId,
      actionContentDigest: actionContentDigest(action),
      outcome,
      outcomeDigest,
    },
  };
}
