import { expect, test } from "vitest";
import { createConsentPolicy } from "../../src/index.ts";
import { answer, CATALOG_DIGEST, grantOne, openBench, SCOPE, selectionOf } from "../support/bench.ts";

test("absence that proves that nothing was applied ends retryable, blocks nothing, and reoffer leads to the next action", async () => {
  const { engine, registry, shelf } = await openBench({ absenceProves: "not-applied" });
  const granted = await grantOne(engine);
  await engine.claimWithoutExecution({ ...granted, registry });

  const report = await engine.prepareInstallExecution({ ...granted, registry }).execute();

  expect(report).toMatchObject({ outcome: "failed", settled: true, claimWasNew: false, retryable: true });
  const { actionId } = granted.action;
  expect(await engine.overview(SCOPE)).toMatchObject({
    pending: [],
    blockedDescriptorDigests: [],
    reofferable: [{ actionId, reason: "verified-absent" }],
  });

  const offer = await engine.reoffer({ scope: SCOPE, actionId, policy: createConsentPolicy() });
  if (offer.kind !== "consent-required") throw new Error(offer.kind);
  const decision = await answer(engine, offer.consent);
  if (decision.kind !== "granted") throw new Error(decision.kind);
  expect(decision.granted.action.actionId).not.toBe(actionId);
  const second = await engine.prepareInstallExecution({ ...decision.granted, registry }).execute();
  expect(second).toMatchObject({ outcome: "applied", settled: true, claimWasNew: true });
  expect(shelf.applyCalls).toBe(1);
});

test("absence that proves nothing ends failed and blocks the descriptor", async () => {
  const { engine, registry } = await openBench({ absenceProves: "nothing" });
  const granted = await grantOne(engine);
  await engine.claimWithoutExecution({ ...granted, registry });

  const report = await engine.prepareInstallExecution({ ...granted, registry }).execute();

  expect(report).toMatchObject({ outcome: "failed", settled: true, retryable: false });
  const { descriptorDigest } = granted.action.payload.installPlanDescriptor;
  expect(await engine.overview(SCOPE)).toMatchObject({ blockedDescriptorDigests: [descriptorDigest], reofferable: [] });
  const policy = createConsentPolicy();
  await expect(engine.reoffer({ scope: SCOPE, actionId: granted.action.actionId, policy })).rejects.toMatchObject({
    code: "NOT_RETRYABLE",
  });
  const plan = { scope: SCOPE, selection: selectionOf(), policy, catalogSnapshotDigest: CATALOG_DIGEST };
  expect(await engine.planInstall(plan)).toEqual({ kind: "blocked", descriptorDigest });
});

test("what absence proved is durable with the outcome, so a later run settles the same", async () => {
  const { engine, registry, journal, shelf } = await openBench({ absenceProves: "not-applied" });
  const granted = await grantOne(engine);
  const claim = await engine.claimWithoutExecution({ ...granted, registry });
  await journal.recordOutcome({
    streamKey: claim.streamKey,
    actionId: claim.actionId,
    actionContentDigest: claim.actionContentDigest,
    executionBindingDigest: claim.executionBindingDigest,
    outcome: "failed",
    observedMaterialIdentityDigest: null,
    verificationDigest: claim.claimDigest,
    besideText: '{"reason":{"code":"stage-removed","facts":{"stages":1}},"retryable":true}',
  });

  const report = await engine.prepareInstallExecution({ ...granted, registry }).execute();

  expect(report).toMatchObject({
    outcome: "failed",
    settled: true,
    retryable: true,
    reason: { code: "stage-removed" },
  });
  expect(shelf.connectCalls).toBe(0);
});
