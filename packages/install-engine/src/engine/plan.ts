import { InstallEngineError } from "../error.ts";
import type { JournalWaitOptions } from "../journal.ts";
import { check } from "../parse.ts";
import { compareTimestamps } from "../timestamp.ts";
import type { InstallCapabilityAction, RequestConsentAction } from "../types/action.ts";
import { consentPolicySchema, createConsentPolicy, type InstallConsentPolicy } from "../types/consent-policy.ts";
import { createScope, type ScopeInput, streamKeyOf } from "../types/scope.ts";
import { checkInstallSelection, type InstallSelection } from "../types/selection.ts";
import type { EngineState, PendingEffect, PlannedInstall } from "../types/state.ts";
import { wireText } from "../wire.ts";
import {
  type CommitAttempt,
  commitRetrying,
  type EngineContext,
  makeEvent,
  requireOpen,
  viewStream,
} from "./context.ts";
import type { StreamView } from "./known-views.ts";
import { refusalOf } from "./refusal.ts";

/** A wish to install. */
export interface PlanInstallRequest {
  /** Where it belongs; the first four members name the journal stream. Streams do not wait for each other. */
  readonly scope: ScopeInput;
  readonly selection: InstallSelection;
  /** Default: ask a person each time. */
  readonly policy?: InstallConsentPolicy;
  /** Digest of the catalog that the selection was made from. Default: the selection's own entry. */
  readonly catalogSnapshotDigest?: string;
  /** Names the plan in the journal; default: the digest of the selection's descriptor. */
  readonly planId?: string;
}

/** Everything that executing an install needs besides the drivers. */
export interface GrantedInstall {
  readonly action: InstallCapabilityAction;
  readonly selection: InstallSelection;
  readonly expectedCatalogSnapshotDigest: string;
  readonly expectedPolicyDigest: string;
}

/** What follows from a wish to install. */
export type InstallOffer =
  /** Consent is asked for; `consent.payload.route` says who may grant. */
  | { readonly kind: "consent-required"; readonly consent: RequestConsentAction }
  /** Another capability of this stream is asked for first; `consent` is its request. */
  | { readonly kind: "waiting"; readonly consent: RequestConsentAction }
  /** An earlier grant for this capability is not closed yet; execute it. Nothing was committed. */
  | { readonly kind: "pending"; readonly granted: GrantedInstall }
  /** The descriptor was denied, or failed in a way that must not be repeated. Nothing was committed. */
  | { readonly kind: "blocked"; readonly descriptorDigest: string };

/** See `InstallEngine.planInstall`. */
export async function planInstall(
  context: EngineContext,
  request: PlanInstallRequest,
  options?: JournalWaitOptions,
): Promise<InstallOffer> {
  requireOpen(context);
  const scope = createScope(request.scope);
  const selection = checkInstallSelection(request.selection);
  const policy = check(consentPolicySchema, request.policy ?? createConsentPolicy(), "install consent policy");
  const { capabilityId, installDescriptorDigest } = selection;
  const planned: PlannedInstall = {
    planId: request.planId ?? `plan-${installDescriptorDigest}`,
    catalogSnapshotDigest: request.catalogSnapshotDigest ?? selection.catalogEntryDigest,
    selection,
  };
  const view = await viewStream(context, streamKeyOf(scope), options);
  const standing = await standingOffer(context, view.state, planned, policy);
  if (standing !== null) {
    return standing;
  }
  const committed = await commitRetrying(
    context,
    scope,
    async (current) => ({
      event: makeEvent(context, current, {
        kind: "PlanCommitted",
        scope,
        payload: { schema: "mesh.plan-committed-v1", selection, policy },
        occurredAt: await context.journal.now(),
        correlationId: planned.planId,
        catalogSnapshotDigest: planned.catalogSnapshotDigest,
      }),
      guard: { kind: "none" },
    }),
    options,
    view,
  );
  return offerOf(committed, capabilityId);
}

/** Everything that may be offered again after it was proven not to have happened. */
export interface ReofferRequest {
  readonly scope: ScopeInput;
  readonly actionId: string;
  /** Default: ask a person each time. */
  readonly policy?: InstallConsentPolicy;
}

/** See `InstallEngine.reoffer`. */
export async function reofferInstall(
  context: EngineContext,
  request: ReofferRequest,
  options?: JournalWaitOptions,
): Promise<InstallOffer> {
  const scope = createScope(request.scope);
  const policy = check(consentPolicySchema, request.policy ?? createConsentPolicy(), "install consent policy");
  let capabilityId = "";
  const committed = await commitRetrying(
    context,
    scope,
    async (view) => {
      const planned = requireReofferable(view, request.actionId);
      capabilityId = planned.selection.capabilityId;
      return {
        event: makeEvent(context, view, {
          kind: "InstallReoffered",
          scope,
          payload: { schema: "mesh.install-reoffered-v1", actionId: request.actionId, policy },
          occurredAt: await context.journal.now(),
          correlationId: planned.planId,
          causationId: request.actionId,
          catalogSnapshotDigest: planned.catalogSnapshotDigest,
        }),
        guard: { kind: "none" },
      };
    },
    options,
  );
  return offerOf(committed, capabilityId);
}

function requireReofferable(view: StreamView, actionId: string): PlannedInstall {
  const entry = view.state?.reofferable.find((candidate) => candidate.actionId === actionId);
  if (entry === undefined) {
    throw new InstallEngineError({
      code: "NOT_RETRYABLE",
      message: `${actionId} did not end in a way that proves that nothing happened; plan a new install`,
      facts: { actionId },
    });
  }
  return entry.planned;
}

/** The grant of a pending effect. */
export function grantedOf(effect: PendingEffect): GrantedInstall {
  return Object.freeze({
    action: effect.action,
    selection: effect.planned.selection,
    expectedCatalogSnapshotDigest: effect.planned.catalogSnapshotDigest,
    expectedPolicyDigest: effect.action.payload.policySnapshotDigest,
  });
}

/** An offer that stands already, so that planning the same again after a crash adds nothing. */
async function standingOffer(
  context: EngineContext,
  state: EngineState | null,
  planned: PlannedInstall,
  policy: InstallConsentPolicy,
): Promise<InstallOffer | null> {
  const { capabilityId, installDescriptorDigest } = planned.selection;
  const effect = state?.pendingEffects.find((candidate) => candidate.action.entityId === capabilityId);
  if (effect !== undefined) {
    return { kind: "pending", granted: grantedOf(effect) };
  }
  if (state?.blockedInstallDescriptorDigests.includes(installDescriptorDigest) === true) {
    return { kind: "blocked", descriptorDigest: installDescriptorDigest };
  }
  const consent = state?.pendingConsent ?? null;
  const [first] = state?.waiting ?? [];
  const same =
    consent !== null &&
    first !== undefined &&
    state?.policy.policyDigest === policy.policyDigest &&
    wireText(first, "utf8") === wireText(planned, "utf8");
  return same && compareTimestamps(await context.journal.now(), consent.expiresAt) < 0
    ? { kind: "consent-required", consent }
    : null;
}

function offerOf({ step, result }: CommitAttempt, capabilityId: string): InstallOffer {
  if (result.kind !== "committed" && result.kind !== "duplicate") {
    throw refusalOf(result);
  }
  const consent = step.state.pendingConsent;
  if (consent === null) {
    throw new InstallEngineError({ code: "EVENT_REFUSED", message: "the plan left nothing waiting for consent" });
  }
  return { kind: consent.entityId === capabilityId ? "consent-required" : "waiting", consent };
}
