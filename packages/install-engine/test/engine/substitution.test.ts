import { expect, test } from "vitest";
import {
  createCatalogIdentity,
  createConsentPolicy,
  createInstallPlanDescriptor,
  createInstallSelection,
  type ExecuteInstallRequest,
  type GrantedInstall,
  identifyMaterial,
  type InstallCapabilityAction,
  type InstallPlanDescriptor,
  type InstallSelection,
  sha256Hex,
} from "../../src/index.ts";
import { CATALOG_DIGEST, grantOne, openBench, planOne, SCOPE, selectionOf, shelfRegistry } from "../support/bench.ts";

const OTHER = sha256Hex("other");
const OTHER_MATERIAL = identifyMaterial("skill:remote-testing", "skill", "another text\n");
const OTHER_CATALOG = createCatalogIdentity({
  capabilityId: "skill:remote-testing",
  kind: "skill",
  catalogNamespaceDigest: OTHER,
});

function otherDescriptor(
  descriptor: InstallPlanDescriptor,
  change: Partial<InstallPlanDescriptor>,
): InstallPlanDescriptor {
  const { descriptorDigest: old, ...members } = descriptor;
  const changed = createInstallPlanDescriptor({ ...members, ...change });
  expect(changed.descriptorDigest).not.toBe(old);
  return changed;
}

type Substitution = readonly [
  member: string,
  code: string,
  change: (granted: GrantedInstall) => Partial<ExecuteInstallRequest>,
];

/** Changes members of the action. */
function action(
  member: string,
  code: string,
  change: (action: InstallCapabilityAction) => Record<string, unknown>,
): Substitution {
  // The changed value has the type of no action; that it is refused is the point.
  return [member, code, (granted) => ({ action: { ...granted.action, ...change(granted.action) } })];
}

function payload(member: keyof InstallCapabilityAction["payload"], code: string, value: unknown): Substitution {
  return action(`payload.${member}`, code, ({ payload: before }) => ({ payload: { ...before, [member]: value } }));
}

const DESCRIPTOR = selectionOf().authority.descriptor;

const ACTION: readonly Substitution[] = [
  action("actionId", "ACTION_NOT_PENDING", () => ({ actionId: `action-${OTHER}` })),
  action("kind", "INVALID_VALUE", () => ({ kind: "ActivateCapability" })),
  action("scope", "ACTION_NOT_PENDING", ({ scope }) => ({ scope: { ...scope, sessionId: "session-2" } })),
  action("scope", "ACTION_SUBSTITUTED", ({ scope }) => ({ scope: { ...scope, exposureId: "exposure-2" } })),
  action("preconditionRevision", "ACTION_SUBSTITUTED", () => ({ preconditionRevision: 1 })),
  payload("schema", "INVALID_VALUE", "ctx.install-capability-payload-v2"),
  payload("capabilityKind", "DESCRIPTOR_SUBSTITUTED", "agent"),
  payload("catalogIdentity", "CATALOG_SUBSTITUTED", OTHER_CATALOG),
  payload("resultMaterial", "MATERIAL_SUBSTITUTED", OTHER_MATERIAL),
  payload("installPlanDescriptor", "DESCRIPTOR_SUBSTITUTED", otherDescriptor(DESCRIPTOR, { planDigest: OTHER })),
  payload("installerDigest", "BINDING_SUBSTITUTED", OTHER),
  payload("policySnapshotDigest", "POLICY_SUBSTITUTED", OTHER),
  action("payload", "INVALID_VALUE", ({ payload: before }) => ({ payload: { ...before, command: "rm" } })),
  action("privacy", "ACTION_SUBSTITUTED", () => ({ privacy: { classification: "public", retention: "local" } })),
  action("protocolVersion", "INVALID_VALUE", () => ({ protocolVersion: 2 })),
  action("entityId", "ACTION_SUBSTITUTED", () => ({ entityId: "skill:another" })),
  action("sourceDigest", "CATALOG_SUBSTITUTED", () => ({ sourceDigest: OTHER })),
  action("planId", "ACTION_SUBSTITUTED", () => ({ planId: "another plan" })),
  action("catalogSnapshotId", "CATALOG_SUBSTITUTED", () => ({ catalogSnapshotId: OTHER })),
  action("consentId", "ACTION_SUBSTITUTED", () => ({ consentId: `consent-${OTHER}` })),
  action("leaseId", "INVALID_VALUE", () => ({ leaseId: "lease-1" })),
  action("expiresAt", "ACTION_SUBSTITUTED", () => ({ expiresAt: "2026-08-01T23:00:00Z" })),
  action("requiredHostFeature", "INVALID_VALUE", () => ({ requiredHostFeature: "none" })),
  action("verification", "INVALID_VALUE", () => ({ verification: null })),
  action("rollback", "ACTION_SUBSTITUTED", () => ({
    rollback: { kind: "UninstallCapability", installerId: "another-installer" },
  })),
];

/** Changes parts of the selection and makes it consistent again. */
function selection(
  member: string,
  code: string,
  change: (before: InstallSelection) => Partial<InstallSelection>,
): Substitution {
  return [
    `selection.${member}`,
    code,
    (granted) => ({ selection: createInstallSelection({ ...granted.selection, ...change(granted.selection) }) }),
  ];
}

function descriptor(member: keyof InstallPlanDescriptor, value: string | boolean): Substitution {
  return selection(`descriptor.${member}`, "DESCRIPTOR_SUBSTITUTED", ({ authority }) => ({
    authority: { ...authority, descriptor: otherDescriptor(authority.descriptor, { [member]: value }) },
  }));
}

const REST: readonly Substitution[] = [
  selection("name", "SELECTION_SUBSTITUTED", () => ({ name: "another name" })),
  selection("normalizedScorePpm", "SELECTION_SUBSTITUTED", () => ({ normalizedScorePpm: 1 })),
  selection("matchingSignals", "SELECTION_SUBSTITUTED", () => ({ matchingSignals: ["signal"] })),
  selection("reasonCodes", "SELECTION_SUBSTITUTED", () => ({ reasonCodes: ["reason"] })),
  selection("benefit", "SELECTION_SUBSTITUTED", ({ benefit }) => ({
    benefit: { ...benefit, individualNetBenefitU: 7 },
  })),
  selection("catalogIdentity", "CATALOG_SUBSTITUTED", () => ({ catalogIdentity: OTHER_CATALOG })),
  selection("catalogEntryDigest", "CATALOG_SUBSTITUTED", () => ({ catalogEntryDigest: OTHER })),
  descriptor("installerId", "another-installer"),
  descriptor("planDigest", OTHER),
  descriptor("provenanceDigest", OTHER),
  descriptor("permissionExpansion", true),
  descriptor("credentialRequirement", true),
  [
    "selection.resultMaterial",
    "DESCRIPTOR_SUBSTITUTED",
    (granted) => {
      const resultMaterialIdentityDigest = OTHER_MATERIAL.identityDigest;
      const changed = otherDescriptor(granted.selection.authority.descriptor, { resultMaterialIdentityDigest });
      const authority = { type: "install" as const, descriptor: changed, resultMaterial: OTHER_MATERIAL };
      return { selection: createInstallSelection({ ...granted.selection, authority }) };
    },
  ],
  ["descriptor", "DESCRIPTOR_SUBSTITUTED", () => ({ descriptor: otherDescriptor(DESCRIPTOR, { planDigest: OTHER }) })],
  ["expectedCatalogSnapshotDigest", "CATALOG_SUBSTITUTED", () => ({ expectedCatalogSnapshotDigest: OTHER })],
  ["expectedPolicyDigest", "POLICY_SUBSTITUTED", () => ({ expectedPolicyDigest: OTHER })],
];

test.each([...ACTION, ...REST])(
  "another %s is refused with %s before anything happens",
  async (_member, code, change) => {
    const { engine, registry, shelf, journal } = await openBench();
    const granted = await grantOne(engine);
    const head = await journal.head();
    const run = async (): Promise<unknown> =>
      engine.prepareInstallExecution({ ...granted, registry, ...change(granted) }).execute();
    await expect(run()).rejects.toMatchObject({ code });
    expect(await journal.head()).toEqual(head);
    expect(shelf.connectCalls).toBe(0);
    // The grant itself is untouched.
    expect(await engine.prepareInstallExecution({ ...granted, registry }).execute()).toMatchObject({ settled: true });
  },
);

test("the list above changes every member of the action", async () => {
  const { engine } = await openBench();
  const { action: granted } = await grantOne(engine);
  const changed = new Set(ACTION.map(([member]) => member.split(".")[0]));
  expect(changed).toEqual(new Set(Object.keys(granted)));
  const inPayload = new Set(ACTION.map(([member]) => member.split(".")[1]).filter((member) => member !== undefined));
  expect(inPayload).toEqual(new Set(Object.keys(granted.payload)));
});

test("a policy that is not current any more lets nothing be claimed", async () => {
  const { engine, registry } = await openBench();
  const granted = await grantOne(engine);
  const policy = createConsentPolicy({ agentMode: "preapproved-auto" });
  await engine.planInstall({
    scope: SCOPE,
    selection: selectionOf("another"),
    policy,
    catalogSnapshotDigest: CATALOG_DIGEST,
  });
  await expect(engine.prepareInstallExecution({ ...granted, registry }).execute()).rejects.toMatchObject({
    code: "POLICY_SUBSTITUTED",
  });
});

test("a grant of another stream, and a request that was not granted, claim nothing", async () => {
  const { engine, registry } = await openBench();
  const granted = await grantOne(engine);
  const consent = await planOne(engine, selectionOf(), { ...SCOPE, sessionId: "session-2" });
  const elsewhere = { ...granted, action: { ...granted.action, scope: consent.scope } };
  await expect(engine.prepareInstallExecution({ ...elsewhere, registry }).execute()).rejects.toMatchObject({
    code: "ACTION_NOT_PENDING",
  });
});

test.each([
  ["host", { host: "another host" }, "BINDING_SUBSTITUTED"],
  ["target", { targetName: "another target" }, "TARGET_REFUSED"],
] as const)("another %s may not finish a claim", async (_member, change, code) => {
  const { engine, registry, shelf } = await openBench();
  const granted = await grantOne(engine);
  await engine.claimWithoutExecution({ ...granted, registry });
  const other = shelfRegistry({ shelf, ...change });
  await expect(engine.prepareInstallExecution({ ...granted, registry: other }).execute()).rejects.toMatchObject({
    code,
  });
  expect(shelf.connectCalls).toBe(0);
});

test("other content under the id of a claimed action is refused", async () => {
  const { engine, registry } = await openBench();
  const granted = await grantOne(engine);
  await engine.claimWithoutExecution({ ...granted, registry });
  const extended = { ...granted, action: { ...granted.action, expiresAt: "2027-01-01T00:00:00Z" } };
  await expect(engine.prepareInstallExecution({ ...extended, registry }).execute()).rejects.toMatchObject({
    code: "ACTION_SUBSTITUTED",
  });
});
