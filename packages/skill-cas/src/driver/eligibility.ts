import {
  type InstallDriverRequest,
  installPlanDescriptorDigest,
  type MaterialIdentity,
  materialIdentityDigest,
  promisesMaterial,
} from "@mesh/install-engine";
import { type Facts, SkillCasError } from "../error.ts";
import { isDigest, MATERIAL_BYTES_MAX } from "../layout.ts";

/** What the driver was configured with and may act for. */
export interface DriverIdentity {
  readonly installerId: string;
  readonly hostIdentityDigest: string;
  readonly targetIdentityDigest: string;
}

/**
 * The material of a request that this driver may serve (spec 9.5): a skill, planned in schema v2 with exactly this
 * material, wanting no permission and no credential, bound to this installer, host and root.
 *
 * @throws SkillCasError NOT_ELIGIBLE, before anything is looked at
 */
export function eligibleMaterial(request: InstallDriverRequest, identity: DriverIdentity): MaterialIdentity {
  const { action, descriptor, binding } = request;
  const material = action.payload.resultMaterial;
  expect("binding.driverId", binding.driverId, identity.installerId);
  expect("binding.hostIdentityDigest", binding.hostIdentityDigest, identity.hostIdentityDigest);
  expect("binding.targetIdentityDigest", binding.targetIdentityDigest, identity.targetIdentityDigest);
  expect("descriptor.installerId", descriptor.installerId, identity.installerId);
  expect("descriptor.kind", descriptor.kind, "skill");
  expect("descriptor.permissionExpansion", descriptor.permissionExpansion, false);
  expect("descriptor.credentialRequirement", descriptor.credentialRequirement, false);
  expect("action.payload.capabilityKind", action.payload.capabilityKind, "skill");
  expect("material.kind", material.kind, "skill");
  expect("descriptor promises the material", promisesMaterial(descriptor, material), true);
  expect("material.contentSha256 is a digest", isDigest(material.contentSha256), true);
  expect(`material.contentBytes in 1..${MATERIAL_BYTES_MAX}`, fits(material.contentBytes), true);
  // What was agreed to is named by these two digests; fields that do not match them were agreed to by nobody.
  expect("material.identityDigest", material.identityDigest, materialIdentityDigest(material));
  expect("descriptor.descriptorDigest", descriptor.descriptorDigest, installPlanDescriptorDigest(descriptor));
  return material;
}

function fits(bytes: number): boolean {
  return Number.isSafeInteger(bytes) && bytes >= 1 && bytes <= MATERIAL_BYTES_MAX;
}

function expect(what: string, found: Facts[string], expected: Facts[string]): void {
  if (found !== expected) {
    throw new SkillCasError({
      code: "NOT_ELIGIBLE",
      message: `${what}: found ${found ?? "nothing"}; expected ${expected ?? "nothing"}. Nothing was touched`,
      facts: { what, found, expected },
    });
  }
}
