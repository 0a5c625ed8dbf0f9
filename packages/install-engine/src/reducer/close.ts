import { compareTimestamps } from "../timestamp.ts";
import type { EngineEventOf } from "../types/event.ts";
import type { EngineState } from "../types/state.ts";
import { type Reduction, refuseEvent, type Step, withBlocked, withoutCapability, withoutEffect } from "./draft.ts";
import { requirePendingEffect } from "./pending-effect.ts";

/** Nobody claimed the action in its time: it ends, is not blocked and may be offered again. */
export function reduceActionExpired(state: EngineState, reduction: Reduction<EngineEventOf<"ActionExpired">>): Step {
  const { event } = reduction;
  const effect = requirePendingEffect(state, event);
  const { actionId, entityId, expiresAt } = effect.action;
  if (compareTimestamps(event.occurredAt, expiresAt) < 0) {
    throw refuseEvent(event, "ACTION_NOT_EXPIRED", `the action lives until ${expiresAt}`, { actionId, expiresAt });
  }
  const draft = withoutEffect(state, effect);
  const again = { actionId, reason: "action-expired" as const, planned: effect.planned };
  return { draft: { ...draft, reofferable: [...withoutCapability(draft.reofferable, entityId), again] }, actions: [] };
}

/** An operator gave up a claimed action: the effect ends and its descriptor is blocked, since nobody knows what is there. */
export function reduceAbandoned(state: EngineState, reduction: Reduction<EngineEventOf<"InstallAbandoned">>): Step {
  const effect = requirePendingEffect(state, reduction.event);
  const { descriptorDigest } = effect.action.payload.installPlanDescriptor;
  return { draft: withBlocked(withoutEffect(state, effect), descriptorDigest), actions: [] };
}

/** An operator says that a renumbered target is the same place: this action reconciles under the new digest. */
export function reduceRebound(state: EngineState, reduction: Reduction<EngineEventOf<"InstallTargetRebound">>): Step {
  const { event } = reduction;
  const effect = requirePendingEffect(state, event);
  const { from, to } = event.payload;
  const current = effect.reboundTargetIdentityDigest;
  if (
    to.targetIdentityDigest === from.targetIdentityDigest ||
    (current !== null && current !== from.targetIdentityDigest)
  ) {
    throw refuseEvent(event, "REBIND_REFUSED", "the event does not start from the target that the action is bound to", {
      actionId: effect.action.actionId,
      found: from.targetIdentityDigest,
      expected: current,
    });
  }
  const rebound = { ...effect, reboundTargetIdentityDigest: to.targetIdentityDigest };
  const pendingEffects = state.pendingEffects.map((candidate) => (candidate === effect ? rebound : candidate));
  return { draft: { ...state, pendingEffects }, actions: [] };
}
