import { commitRetrying, type EngineContext, makeEvent, viewStream } from "../engine/context.ts";
import { pendingEffectOf } from "../engine/authorize.ts";
import { actionReference } from "../engine/expire.ts";
import { refusalOf } from "../engine/refusal.ts";
import { InstallEngineError } from "../error.ts";
import { matchBinding } from "../execution/binding.ts";
import type { CommitResult, JournalWaitOptions } from "../journal.ts";
import type { InstallDriverRegistration, InstallDriverRegistry } from "../registry.ts";
import { checkInstallAction, type InstallCapabilityAction } from "../types/action.ts";
import { parseExecutionBinding } from "../types/execution-binding.ts";
import { streamKeyOf } from "../types/scope.ts";
import { parseInstallTarget } from "../types/target.ts";
import { lastSeenKey } from "./last-seen.ts";

/** Who gives an action up, and why. */
export interface AbandonRequest {
  readonly operator: string;
  readonly reason: string;
}

/** See `InstallEngine.abandon`. */
export async function abandonInstall(
  context: EngineContext,
  action: InstallCapabilityAction,
  request: AbandonRequest,
  options: JournalWaitOptions = {},
): Promise<void> {
  const checked = checkInstallAction(action);
  const reference = actionReference(checked);
  const key = { streamKey: streamKeyOf(checked.scope), actionId: checked.actionId };
  // Under the action's lock, so that no run is between its look at the world and its outcome.
  const { result } = await context.journal.withActionLock(
    key,
    () =>
      commitRetrying(
        context,
        checked.scope,
        async (view) => ({
          event: makeEvent(context, view, {
            kind: "InstallAbandoned",
            ...(await eventMembers(context, checked)),
            payload: { ...reference, operator: request.operator, reason: request.reason },
          }),
          guard: { kind: "abandon", actionId: checked.actionId, actionContentDigest: reference.actionContentDigest },
        }),
        options,
      ),
    options,
  );
  requireCommitted(result, "outcome-recorded: the outcome is known, run again to settle it");
  context.lastSeen.delete(lastSeenKey(key));
}

/** Why a renumbered target is the same place, and the drivers that found it. */
export interface RebindRequest {
  readonly reason: string;
  readonly registry: InstallDriverRegistry;
}

/** See `InstallEngine.rebindTarget`. */
export async function rebindTarget(
  context: EngineContext,
  action: InstallCapabilityAction,
  request: RebindRequest,
  options: JournalWaitOptions = {},
): Promise<void> {
  const checked = checkInstallAction(action);
  const reference = actionReference(checked);
  const registration = request.registry.resolve(checked, checked.payload.installPlanDescriptor);
  const key = { streamKey: streamKeyOf(checked.scope), actionId: checked.actionId };
  const { result } = await context.journal.withActionLock(
    key,
    async () => {
      const places = await requireRenumbered(context, key, registration, options);
      return commitRetrying(
        context,
        checked.scope,
        async (view) => ({
          event: makeEvent(context, view, {
            kind: "InstallTargetRebound",
            ...(await eventMembers(context, checked)),
            payload: { ...reference, ...places, reason: request.reason },
          }),
          guard: { kind: "rebind", actionId: checked.actionId, actionContentDigest: reference.actionContentDigest },
        }),
        options,
      );
    },
    options,
  );
  requireCommitted(result, "outcome-recorded: nothing is left to reconcile");
}

/** The two places of a renumbered target, once it is sure that they are one. */
async function requireRenumbered(
  context: EngineContext,
  key: { readonly streamKey: string; readonly actionId: string },
  registration: InstallDriverRegistration,
  options: JournalWaitOptions,
) {
  const status = await context.journal.status(key, options);
  const view = await viewStream(context, key.streamKey, options);
  const effect = pendingEffectOf(view.state, key.actionId);
  const { target } = registration;
  if (status.state !== "claimed" || effect === null || status.claim.besideText === null || target === undefined) {
    throw refused("only a claimed action whose target has an id can be rebound", { state: status.state });
  }
  if (matchBinding(status.claim, registration, effect).kind !== "renumbered") {
    throw refused("the target is the one that the action is bound to already", { state: status.state });
  }
  const before = parseInstallTarget(status.claim.besideText);
  const claimed = parseExecutionBinding(status.claim.executionBindingText).targetIdentityDigest;
  return {
    targetId: target.id,
    path: target.path,
    from: {
      targetIdentityDigest: effect.reboundTargetIdentityDigest ?? claimed,
      device: before.device,
      inode: before.inode,
    },
    to: {
      targetIdentityDigest: registration.binding.targetIdentityDigest,
      device: target.device,
      inode: target.inode,
    },
  };
}

async function eventMembers(context: EngineContext, action: InstallCapabilityAction) {
  return {
    scope: action.scope,
    occurredAt: await context.journal.now(),
    correlationId: action.planId,
    causationId: action.actionId,
    catalogSnapshotDigest: action.catalogSnapshotId,
    privacy: action.privacy,
  };
}

function requireCommitted(result: CommitResult, whenOutcome: string): void {
  if (result.kind === "outcome-conflict") {
    throw new InstallEngineError({
      code: "ABANDON_REFUSED",
      message: whenOutcome,
      facts: { outcome: result.outcome.outcome },
    });
  }
  if (result.kind !== "committed" && result.kind !== "duplicate") {
    throw refusalOf(result);
  }
}

function refused(message: string, facts: Readonly<Record<string, string>>): InstallEngineError {
  return new InstallEngineError({ code: "REBIND_REFUSED", message, facts });
}
