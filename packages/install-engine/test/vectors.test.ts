import { expect, test } from "vitest";
import {
  actionLockName,
  createCatalogIdentity,
  createConsentPolicy,
  createExecutionBinding,
  createInstallPlanDescriptor,
  INSTALLER_DIGEST,
  identifyMaterial,
  installPlanDescriptorDigest,
  sha256Hex,
  skillObservationDigest,
  skillStoreTargetDigest,
  streamKeyOf,
} from "../src/index.ts";

// Every row of spec section 20. The body is the 80 bytes that the first rows are about.
const BODY = "---\nname: remote-testing\ndescription: exact CAS test skill\n---\nUse tests first.\n";
const material = identifyMaterial("skill:remote-testing", "skill", BODY);
const root = { canonicalRoot: "/home/ctx/skills", device: 2049n, inode: 131073n };
const binding = createExecutionBinding({
  driverId: "ctx-skill-installer-v1",
  driverDigest: INSTALLER_DIGEST,
  hostIdentityDigest: sha256Hex("host"),
  targetIdentityDigest: skillStoreTargetDigest(root),
});

test("install plan descriptor, version 1, has the digest of the original", () => {
  const digest = installPlanDescriptorDigest({
    capabilityId: "skill:python-testing",
    kind: "skill",
    installerId: "ctx-builtin-installer-v1",
    planDigest: sha256Hex("plan"),
    provenanceDigest: sha256Hex("provenance"),
    targetScope: "user",
    rollbackStrategy: "atomic-restore",
    permissionExpansion: false,
    credentialRequirement: false,
  });
  expect(digest).toBe("2571612ff39e615a258f9632a346aae775c5d81afa754cf4095b559b40eaeaa6");
});

test("the body and its material identity have the digests of the original", () => {
  expect(Buffer.byteLength(BODY)).toBe(80);
  expect(material.contentSha256).toBe("d6c335cacc4290d4e2d5373395cecc3f1cbceb5fd1fc4bfb315582b155cc701b");
  expect(material.identityDigest).toBe("ccdb3a4bfa5e01cad6b22e1e3974f9974c850f998c8a5c690624032c96e74cba");
});

test("install plan descriptor, version 2, has the digest of the original", () => {
  const descriptor = createInstallPlanDescriptor({
    capabilityId: "skill:remote-testing",
    kind: "skill",
    installerId: "ctx-skill-installer-v1",
    planDigest: sha256Hex("plan"),
    provenanceDigest: sha256Hex("provenance"),
    resultMaterialIdentityDigest: material.identityDigest,
  });
  expect(descriptor.descriptorDigest).toBe("8f60aec4864c1365a41e2434a1bf0d4fca1cd977a2581a66d661dd8e5ec9d81e");
});

test("the store root is hashed as raw UTF-8 with integers of any size", () => {
  expect(skillStoreTargetDigest(root)).toBe("88d2aa53bc5973edd0ac9526812b9752f7d21778d843b502b643b0a980205694");
  expect(skillStoreTargetDigest({ ...root, canonicalRoot: "/home/ctx/sk\u00efll" })).toBe(
    "8ba9bc18f18fba93655a4a0f1671baa6913fcd4d332b7140eaa7d491787c375b",
  );
});

test("installer and execution binding have the digests of the original", () => {
  expect(INSTALLER_DIGEST).toBe("fab2f863fbd4c876f182349749c97317de919e94bfbfa7e5f621b66b9eb98efc");
  expect(binding.bindingDigest).toBe("3d8fcedcc4db46f65fa8978e7b3c1af15d1589feaafe6c313be784ad3ebb2e4c");
});

test.each([
  ["installed-exact", "d32693f3d919ef83f7dbb8d4a3112d416e5b6c4375a49a84983bc63826fb0398"],
  ["absent", "c48ffe6eb41e7bf8239e309bc43020832fe48308bf0ec1e4ca5572925c148641"],
  ["conflict", "5567e7afa938a0f58ed0dbaf4618fe4c58c5848014e2184ee31b9458d211adaf"],
  ["indeterminate", "02e4685374889717a704e851af95d2d8a9e18324c72daf5f863da5796bc3480d"],
] as const)("observation %s has the digest of the original", (state, digest) => {
  const { bindingDigest } = binding;
  expect(skillObservationDigest({ bindingDigest, materialIdentityDigest: material.identityDigest, state })).toBe(
    digest,
  );
});

test("the policy that asks each time is the default and has the digest of the original", () => {
  expect(createConsentPolicy().policyDigest).toBe("e2ad57139141aea54f58c5f24b1bee718305a21b85355c9ab273679002cf6ff1");
});

test("catalog identity has the digest of the original", () => {
  const identity = createCatalogIdentity({
    capabilityId: "skill:remote-testing",
    kind: "skill",
    catalogNamespaceDigest: sha256Hex("catalog-namespace-v1"),
  });
  expect(identity.identityDigest).toBe("521962f8efeba30282448e44f5e57f57ef146b923e41341766525e2910977d79");
});

test("the per-action lock has the name of the original", () => {
  const streamKey = streamKeyOf({
    tenantId: "tenant-1",
    workspaceId: "workspace-1",
    repositoryId: "repository-1",
    sessionId: "session-1",
  });
  expect(actionLockName(streamKey, "action-x")).toBe(
    "f3e4a79e84f46bb757253bc7ca2de445bc24e0af2b2920d956071ff374f0c355",
  );
});
