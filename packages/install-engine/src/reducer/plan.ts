import { SELECTIONS_WAITING_MAX } from "../limits.ts";
import type { EngineEventOf } from "../types/event.ts";
import { checkInstallSelection } from "../types/selection.ts";
import type { EngineState, PlannedInstall } from "../types/state.ts";
import { type Draft, type Reduction, refuseEvent, type Step, withoutCapability } from "./draft.ts";

/** A capability is desired: it waits for consent. A newer plan for a capability replaces one that still waits. */
export function reducePlan(state: EngineState | null, reduction: Reduction<EngineEventOf<"PlanCommitted">>): Step {
  const { event } = reduction;
  const { policy } = event.payload;
  const selection = checkInstallSelection(event.payload.selection);
  const planned = { planId: event.correlationId, catalogSnapshotDigest: event.catalogSnapshotDigest, selection };
  const before: Draft = state ?? {
    policy,
    waiting: [],
    pendingEffects: [],
    reofferable: [],
    installed: [],
    blockedInstallDescriptorDigests: [],
  };
  return { draft: desire({ ...before, policy }, planned, event), actions: [] };
}

/** What was proven not to have happened is desired again. */
export function reduceReoffer(state: EngineState, reduction: Reduction<EngineEventOf<"InstallReoffered">>): Step {
  const { event } = reduction;
  const entry = state.reofferable.find((candidate) => candidate.actionId === event.payload.actionId);
  if (entry === undefined) {
    throw refuseEvent(event, "NOT_RETRYABLE", "the action did not end in a way that proves that nothing happened", {
      actionId: event.payload.actionId,
    });
  }
  return { draft: desire({ ...state, policy: event.payload.policy }, entry.planned, event), actions: [] };
}

function desire(draft: Draft, planned: PlannedInstall, event: Reduction["event"]): Draft {
  const { capabilityId, authority } = planned.selection;
  const { descriptorDigest } = authority.descriptor;
  if (draft.blockedInstallDescriptorDigests.includes(descriptorDigest)) {
    throw refuseEvent(event, "DESCRIPTOR_BLOCKED", `descriptor ${descriptorDigest} is blocked; plan with a new one`, {
      capabilityId,
      descriptorDigest,
    });
  }
  const pending = draft.pendingEffects.find((effect) => effect.planned.selection.capabilityId === capabilityId);
  if (pending !== undefined) {
    throw refuseEvent(event, "INSTALL_PENDING", `${capabilityId} has an install that is not closed; finish it first`, {
      capabilityId,
      actionId: pending.action.actionId,
    });
  }
  const others = draft.waiting.filter((entry) => entry.selection.capabilityId !== capabilityId);
  if (others.length >= SELECTIONS_WAITING_MAX) {
    throw refuseEvent(event, "EVENT_REFUSED", `${SELECTIONS_WAITING_MAX} selections wait for consent already`, {
      limit: SELECTIONS_WAITING_MAX,
    });
  }
  return {
    ...draft,
    waiting: [...others, planned],
    reofferable: withoutCapability(draft.reofferable, capabilityId),
  };
}
