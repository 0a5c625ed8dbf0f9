import { expect, test } from "vitest";
import { ACTION_LIFE_MS, createConsentPolicy } from "../../src/index.ts";
import { grantOne, openBench, SCOPE } from "../support/bench.ts";

test("an action lives exactly one hour: claimed a millisecond before its expiry, refused at it", async () => {
  const { engine, registry, clock, shelf } = await openBench();
  const early = await grantOne(engine);
  clock.milliseconds += ACTION_LIFE_MS - 1;
  const report = await engine.prepareInstallExecution({ ...early, registry }).execute();
  expect(report).toMatchObject({ outcome: "applied", settled: true });

  const late = await grantOne(engine);
  clock.milliseconds += ACTION_LIFE_MS;
  await expect(engine.prepareInstallExecution({ ...late, registry }).execute()).rejects.toMatchObject({
    code: "ACTION_EXPIRED",
  });
  expect(shelf.connectCalls).toBe(1);
  expect(await engine.status(late.action)).toEqual({ state: "unclaimed" });
});

test("an unclaimed action ends at its expiry, not before, and may be offered again", async () => {
  const { engine, clock } = await openBench();
  const { action } = await grantOne(engine);
  clock.milliseconds += ACTION_LIFE_MS - 1;
  await expect(engine.expireAction(action)).rejects.toMatchObject({ code: "ACTION_NOT_EXPIRED" });
  clock.milliseconds += 1;
  await engine.expireAction(action);
  expect(await engine.overview(SCOPE)).toMatchObject({ pending: [], blockedDescriptorDigests: [] });
  const offer = await engine.reoffer({ scope: SCOPE, actionId: action.actionId, policy: createConsentPolicy() });
  expect(offer).toMatchObject({ kind: "consent-required" });
});

test("a claimed action cannot expire, and settles however late", async () => {
  const { engine, registry, clock } = await openBench();
  const granted = await grantOne(engine);
  await engine.claimWithoutExecution({ ...granted, registry });
  clock.milliseconds += 1_000 * ACTION_LIFE_MS;
  await expect(engine.expireAction(granted.action)).rejects.toMatchObject({ code: "ACTION_CLAIMED" });
  const report = await engine.prepareInstallExecution({ ...granted, registry }).execute();
  expect(report).toMatchObject({ outcome: "failed", settled: true });
});

test("a clock that went back behind the claim leaves the claim open, with both times", async () => {
  const { engine, registry, clock } = await openBench();
  const granted = await grantOne(engine);
  await engine.claimWithoutExecution({ ...granted, registry });
  clock.milliseconds -= 1;
  const report = await engine.prepareInstallExecution({ ...granted, registry }).execute();
  expect(report).toMatchObject({
    outcome: "indeterminate",
    settled: false,
    reason: {
      code: "clock-behind-claim",
      facts: { now: "2026-08-01T11:59:59.999Z", claimedAt: "2026-08-01T12:00:00Z" },
    },
  });
});
