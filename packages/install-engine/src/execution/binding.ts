import type { InstallReason } from "../driver.ts";
import { InstallEngineError } from "../error.ts";
import type { InstallClaim } from "../journal/rows.ts";
import type { InstallDriverRegistration } from "../registry.ts";
import { executionBindingDigest, parseExecutionBinding } from "../types/execution-binding.ts";
import type { PendingEffect } from "../types/state.ts";
import { parseInstallTarget } from "../types/target.ts";

/** Whether a driver may finish what a claim began. */
export type BindingMatch =
  | { readonly kind: "same" }
  /** The same place under another device or inode; an operator has to say so. */
  | { readonly kind: "renumbered"; readonly reason: InstallReason };

/**
 * Compares the binding of a claim with the registered one (spec 7.5, issue "Binding").
 *
 * @throws InstallEngineError BINDING_SUBSTITUTED for another driver or host, TARGET_REFUSED for another place.
 */
export function matchBinding(
  claim: InstallClaim,
  registration: InstallDriverRegistration,
  effect: PendingEffect | null,
): BindingMatch {
  const { binding, target } = registration;
  if (binding.bindingDigest === claim.executionBindingDigest) {
    return { kind: "same" };
  }
  const claimed = parseExecutionBinding(claim.executionBindingText);
  const expected = executionBindingDigest({ ...claimed, targetIdentityDigest: binding.targetIdentityDigest });
  if (expected !== binding.bindingDigest) {
    const member = claimed.hostIdentityDigest === binding.hostIdentityDigest ? "driver" : "host_identity_digest";
    throw new InstallEngineError({
      code: "BINDING_SUBSTITUTED",
      message: `the claim was made by another ${member === "driver" ? "driver" : "host"}; only that one may finish it`,
      facts: { member, actionId: claim.actionId },
    });
  }
  if (effect !== null && effect.reboundTargetIdentityDigest === binding.targetIdentityDigest) {
    return { kind: "same" };
  }
  const before = claim.besideText === null ? null : parseInstallTarget(claim.besideText);
  if (before === null || target === undefined || before.id !== target.id || before.path !== target.path) {
    throw new InstallEngineError({
      code: "TARGET_REFUSED",
      message: "the claim was made for another place; point the host at that one, or abandon the action",
      facts: {
        actionId: claim.actionId,
        sameId: before !== null && target !== undefined && before.id === target.id,
        claimedPath: before?.path ?? null,
        foundPath: target?.path ?? null,
      },
    });
  }
  return {
    kind: "renumbered",
    reason: {
      code: "target-renumbered",
      facts: {
        claimedDevice: before.device,
        claimedInode: before.inode,
        foundDevice: target.device,
        foundInode: target.inode,
      },
    },
  };
}
