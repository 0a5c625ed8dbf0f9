import type { InstallDriverObservation, InstallDriverRequest, InstallReason } from "./driver.ts";
import { skillObservationDigest } from "./types/skill-target.ts";

/**
 * Makes the observation of a driver: its verification digest covers state, binding and material (spec 2.1).
 *
 * Say `installed-exact` only after comparing every byte; the engine settles what this says.
 */
export function observeInstall(
  request: InstallDriverRequest,
  state: InstallDriverObservation["state"],
  reason?: InstallReason,
): InstallDriverObservation {
  const { identityDigest } = request.action.payload.resultMaterial;
  const verificationDigest = skillObservationDigest({
    bindingDigest: request.binding.bindingDigest,
    materialIdentityDigest: identityDigest,
    state,
  });
  return Object.freeze({
    state,
    verificationDigest,
    ...(state === "installed-exact" ? { observedMaterialIdentityDigest: identityDigest } : {}),
    ...(reason === undefined ? {} : { reason }),
  });
}
