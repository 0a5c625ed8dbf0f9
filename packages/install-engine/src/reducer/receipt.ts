import type { InstallCapabilityAction } from "../types/action.ts";
import type { EngineEventOf } from "../types/event.ts";
import type { InstallReceipt } from "../types/event-payload.ts";
import { createInstalledLineage } from "../types/lineage.ts";
import type { EngineState } from "../types/state.ts";
import { wireText } from "../wire.ts";
import { type Reduction, refuseEvent, type Step, withBlocked, withoutCapability, withoutEffect } from "./draft.ts";
import { requirePendingEffect } from "./pending-effect.ts";

/** The install happened: the capability is installed, with the lineage of its material. */
export function reduceApplied(state: EngineState, reduction: Reduction<EngineEventOf<"ActionApplied">>): Step {
  const { event, eventContentDigest } = reduction;
  const effect = requirePendingEffect(state, event);
  const { action } = effect;
  const expected = receiptOf(action);
  if (wireText(event.payload.verification, "utf8") !== wireText(expected, "utf8")) {
    throw refuseEvent(event, "ACTION_SUBSTITUTED", "the receipt verifies something else than the action asked for", {
      actionId: action.actionId,
    });
  }
  const { resultMaterial, catalogIdentity, installPlanDescriptor } = action.payload;
  const lineage = createInstalledLineage({
    capabilityId: resultMaterial.capabilityId,
    kind: resultMaterial.kind,
    catalogIdentityDigest: catalogIdentity.identityDigest,
    materialIdentityDigest: resultMaterial.identityDigest,
    originInstallDescriptorDigest: installPlanDescriptor.descriptorDigest,
    installActionContentDigest: event.payload.actionContentDigest,
    installReceiptContentDigest: eventContentDigest,
  });
  const others = state.installed.filter((entry) => entry.material.capabilityId !== resultMaterial.capabilityId);
  const installed = [...others, { material: resultMaterial, lineage, installedAt: event.occurredAt }];
  return { draft: { ...withoutEffect(state, effect), installed }, actions: [] };
}

/**
 * The install did not happen. Where absence proves that nothing was applied, it may be offered again; otherwise the
 * descriptor is blocked, since a second attempt might meet what the first one left.
 */
export function reduceFailed(state: EngineState, reduction: Reduction<EngineEventOf<"ActionFailed">>): Step {
  const { event } = reduction;
  const effect = requirePendingEffect(state, event);
  const draft = withoutEffect(state, effect);
  if (!event.payload.retryable) {
    const { descriptorDigest } = effect.action.payload.installPlanDescriptor;
    return { draft: withBlocked(draft, descriptorDigest), actions: [] };
  }
  const { actionId, entityId } = effect.action;
  const again = { actionId, reason: "verified-absent" as const, planned: effect.planned };
  return { draft: { ...draft, reofferable: [...withoutCapability(draft.reofferable, entityId), again] }, actions: [] };
}

/** What a receipt must verify for an action to count as applied (spec 7.4). */
export function receiptOf(action: InstallCapabilityAction): InstallReceipt {
  const { payload } = action;
  return {
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
}
