import { installTargetText } from "../journal/rows.ts";
import { InstallEngineError, type InstallEngineErrorCode } from "../error.ts";
import type { ClaimResult, JournalWaitOptions } from "../journal.ts";
import { CONTENTION_ATTEMPTS_MAX } from "../limits.ts";
import { check } from "../parse.ts";
import type { InstallDriverRegistration, InstallDriverRegistry } from "../registry.ts";
import {
  actionContentDigest,
  checkInstallAction,
  hostActionText,
  type InstallCapabilityAction,
} from "../types/action.ts";
import { executionBindingText } from "../types/execution-binding.ts";
import { digestSchema } from "../types/identifiers.ts";
import { type InstallPlanDescriptor, installPlanDescriptorSchema } from "../types/install-plan-descriptor.ts";
import { streamKeyOf } from "../types/scope.ts";
import { checkInstallSelection, type InstallSelection } from "../types/selection.ts";
import type { EngineState, PendingEffect } from "../types/state.ts";
import { wireDigest, wireText } from "../wire.ts";
import { accepts, type EngineContext, viewMeeting } from "./context.ts";
import type { StreamView } from "./known-views.ts";

/** What an install is executed with: the grant, what the caller expects to be current, and the drivers. */
export interface ExecuteInstallRequest {
  readonly action: InstallCapabilityAction;
  readonly selection: InstallSelection;
  /** Default: the descriptor of the selection. Given, it must be the same. */
  readonly descriptor?: InstallPlanDescriptor;
  readonly expectedCatalogSnapshotDigest: string;
  readonly expectedPolicyDigest: string;
  readonly registry: InstallDriverRegistry;
}

/** A request whose parts belong together, with the driver it resolves to. */
export interface AuthorizedInstall {
  readonly action: InstallCapabilityAction;
  readonly selection: InstallSelection;
  readonly descriptor: InstallPlanDescriptor;
  readonly expectedCatalogSnapshotDigest: string;
  readonly expectedPolicyDigest: string;
  readonly registration: InstallDriverRegistration;
  readonly streamKey: string;
}

/**
 * Checks everything of a request that needs no journal: the parts agree, and a driver is registered (spec 6, 7.1).
 *
 * @throws InstallEngineError INVALID_VALUE, DIGEST_MISMATCH, one of the *_SUBSTITUTED codes, DRIVER_NOT_REGISTERED
 */
export function checkExecuteRequest(request: ExecuteInstallRequest): AuthorizedInstall {
  const action = checkInstallAction(request.action);
  const selection = checkInstallSelection(request.selection);
  const { authority } = selection;
  const descriptor = check(
    installPlanDescriptorSchema,
    request.descriptor ?? authority.descriptor,
    "install plan descriptor",
  );
  const expectedCatalogSnapshotDigest = check(
    digestSchema,
    request.expectedCatalogSnapshotDigest,
    "expected catalog snapshot digest",
  );
  const expectedPolicyDigest = check(digestSchema, request.expectedPolicyDigest, "expected policy digest");
  const { payload } = action;
  requireSame("DESCRIPTOR_SUBSTITUTED", "descriptor", descriptor, authority.descriptor);
  requireSame("DESCRIPTOR_SUBSTITUTED", "payload.install_plan_descriptor", payload.installPlanDescriptor, descriptor);
  requireSame("MATERIAL_SUBSTITUTED", "payload.result_material", payload.resultMaterial, authority.resultMaterial);
  requireSame("CATALOG_SUBSTITUTED", "payload.catalog_identity", payload.catalogIdentity, selection.catalogIdentity);
  requireSame("CATALOG_SUBSTITUTED", "catalog_snapshot_id", action.catalogSnapshotId, expectedCatalogSnapshotDigest);
  requireSame("CATALOG_SUBSTITUTED", "source_digest", action.sourceDigest, selection.catalogEntryDigest);
  requireSame(
    "POLICY_SUBSTITUTED",
    "payload.policy_snapshot_digest",
    payload.policySnapshotDigest,
    expectedPolicyDigest,
  );
  requireSame("ACTION_SUBSTITUTED", "rollback.installer_id", action.rollback.installerId, descriptor.installerId);
  requireSame("ACTION_SUBSTITUTED", "entity_id", action.entityId, descriptor.capabilityId);
  const registration = request.registry.resolve(action, descriptor);
  requireSame("BINDING_SUBSTITUTED", "driver_id", registration.binding.driverId, descriptor.installerId);
  return Object.freeze({
    action,
    selection,
    descriptor,
    expectedCatalogSnapshotDigest,
    expectedPolicyDigest,
    registration,
    streamKey: streamKeyOf(action.scope),
  });
}

/**
 * Turns the grant into the one right to apply: the claim row is the effect, no token is returned (spec 6,
 * `authorize_install`).
 *
 * @throws InstallEngineError ACTION_NOT_PENDING, one of the *_SUBSTITUTED codes, ACTION_EXPIRED, SNAPSHOT_CONTENDED
 */
export async function claimInstall(
  context: EngineContext,
  install: AuthorizedInstall,
  options?: JournalWaitOptions,
): Promise<Extract<ClaimResult, { readonly kind: "claimed" | "already-claimed" }>> {
  const { action, registration, streamKey } = install;
  for (let attempt = 1; attempt <= CONTENTION_ATTEMPTS_MAX; attempt += 1) {
    const view = await viewMeeting(context, streamKey, demandOf(install), options);
    const result = await context.journal.claim(
      {
        streamKey,
        actionId: action.actionId,
        actionContentDigest: actionContentDigest(action),
        preconditionRevision: action.preconditionRevision,
        actionText: hostActionText(action),
        actionExpiresAt: action.expiresAt,
        expectedHead: { revision: view.state?.revision ?? 0, recordDigest: view.recordDigest ?? "" },
        authorizationDigest: authorizationDigest(install),
        executionBindingText: executionBindingText(registration.binding),
        executionBindingDigest: registration.binding.bindingDigest,
        besideText: registration.target === undefined ? null : installTargetText(registration.target),
      },
      options,
    );
    switch (result.kind) {
      case "claimed":
      case "already-claimed":
        return result;
      case "revision-conflict":
        context.views.forget(streamKey);
        continue;
      case "not-issued":
        throw substituted("ACTION_SUBSTITUTED", "action", "what no record of the stream issued", "an issued action");
      case "expired":
        throw new InstallEngineError({
          code: "ACTION_EXPIRED",
          message: `the time is ${result.now}, the action could be claimed until ${result.expiresAt}; expire it and reoffer`,
          facts: { actionId: action.actionId, now: result.now, expiresAt: result.expiresAt },
        });
    }
  }
  throw new InstallEngineError({
    code: "SNAPSHOT_CONTENDED",
    message: `the stream moved ${CONTENTION_ATTEMPTS_MAX} times while the action was claimed; try again`,
    facts: { streamKey, attempts: CONTENTION_ATTEMPTS_MAX },
  });
}

/** Whether the grant is pending as far as this engine knows; what the journal has now may say otherwise. */
export function isKnownPending(context: EngineContext, install: AuthorizedInstall): boolean {
  const known = context.views.of(install.streamKey);
  return known !== undefined && accepts(demandOf(install), known);
}

function demandOf(install: AuthorizedInstall): (view: StreamView) => void {
  return (view) => {
    requirePending(view, install);
  };
}

/** SHA-256 of B{action, catalog, descriptor, policy, selection} (spec 2.1, row "install authorization"). */
export function authorizationDigest(install: AuthorizedInstall): string {
  const { action } = install;
  return wireDigest(
    {
      action: { contentDigest: actionContentDigest(action), json: hostActionText(action) },
      catalogSnapshotDigest: install.expectedCatalogSnapshotDigest,
      descriptor: install.descriptor,
      policySnapshotDigest: install.expectedPolicyDigest,
      schema: "ctx.install-action-authorization-v1",
      selection: install.selection,
    },
    "utf8",
  );
}

/** The grant must be what the stream says now: the same action, selection, catalog and policy. */
function requirePending(view: StreamView, install: AuthorizedInstall): void {
  const effect = pendingEffectOf(view.state, install.action.actionId);
  if (effect === null) {
    throw new InstallEngineError({
      code: "ACTION_NOT_PENDING",
      message: `${install.action.actionId} is not a pending install of this stream: it is closed, or of another one`,
      facts: { actionId: install.action.actionId },
    });
  }
  const { planned } = effect;
  requireSame("ACTION_SUBSTITUTED", "action", install.action, effect.action);
  requireSame("SELECTION_SUBSTITUTED", "selection", install.selection, planned.selection);
  requireSame(
    "CATALOG_SUBSTITUTED",
    "catalog_snapshot_digest",
    install.expectedCatalogSnapshotDigest,
    planned.catalogSnapshotDigest,
  );
  requireSame(
    "POLICY_SUBSTITUTED",
    "policy_snapshot_digest",
    install.expectedPolicyDigest,
    view.state?.policy.policyDigest ?? null,
  );
}

/** The pending effect of an action, or null. */
export function pendingEffectOf(state: EngineState | null, actionId: string): PendingEffect | null {
  return state?.pendingEffects.find((effect) => effect.action.actionId === actionId) ?? null;
}

/**
 * Requires two values to have one canonical text.
 *
 * @throws InstallEngineError with the code given; the fact `member` says which member differs.
 */
export function requireSame(code: InstallEngineErrorCode, member: string, found: unknown, expected: unknown): void {
  if (wireText(found, "utf8") !== wireText(expected, "utf8")) {
    throw substituted(code, firstDifference(member, found, expected), "another value", "the granted one");
  }
}

function firstDifference(member: string, found: unknown, expected: unknown): string {
  if (typeof found !== "object" || typeof expected !== "object" || found === null || expected === null) {
    return member;
  }
  const left = new Map(Object.entries(found));
  const right = new Map(Object.entries(expected));
  const differing = [...new Set([...left.keys(), ...right.keys()])].find(
    (key) => JSON.stringify(left.get(key)) !== JSON.stringify(right.get(key)),
  );
  return differing === undefined
    ? member
    : firstDifference(`${member}.${differing}`, left.get(differing), right.get(differing));
}

function substituted(
  code: InstallEngineErrorCode,
  member: string,
  found: string,
  expected: string,
): InstallEngineError {
  return new InstallEngineError({
    code,
    message: `${member} is ${found}; expected ${expected}. Nothing was changed`,
    facts: { member },
  });
}
