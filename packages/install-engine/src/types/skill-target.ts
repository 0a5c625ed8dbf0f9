import { digestAscii, digestUtf8 } from "../digest.ts";
import type { InstallDriverObservation } from "../driver.ts";

/** The root of a flat skill store, as its identity digest covers it (spec 2.1, RootIdentity). */
export interface SkillStoreRoot {
  /** Canonical absolute path. */
  readonly canonicalRoot: string;
  readonly device: bigint;
  readonly inode: bigint;
}

/** SHA-256 of B{canonical_root, device, inode, schema}: the target identity digest of a skill store (spec 2.1). */
export function skillStoreTargetDigest(root: SkillStoreRoot): string {
  return digestUtf8({
    canonical_root: root.canonicalRoot,
    device: root.device,
    inode: root.inode,
    schema: "ctx.skill-cas-target-v2",
  });
}

/** SHA-256 of A{binding_digest, material_identity_digest, schema, state}: the verification digest (spec 2.1). */
export function skillObservationDigest(observation: {
  readonly bindingDigest: string;
  readonly materialIdentityDigest: string;
  readonly state: InstallDriverObservation["state"];
}): string {
  return digestAscii({
    binding_digest: observation.bindingDigest,
    material_identity_digest: observation.materialIdentityDigest,
    schema: "ctx.skill-cas-observation-v1",
    state: observation.state,
  });
}
