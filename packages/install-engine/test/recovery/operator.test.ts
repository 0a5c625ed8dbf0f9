import { expect, test } from "vitest";
import { createConsentPolicy, type InstallTarget } from "../../src/index.ts";
import { BODY, CATALOG_DIGEST, grantOne, openBench, SCOPE, selectionOf, shelfRegistry } from "../support/bench.ts";

const OPERATOR = { operator: "operator-1", reason: "the place is gone for good" };

test("abandoning ends a claimed action for ever, without an outcome, and blocks its descriptor", async () => {
  const { engine, registry, journal, shelf } = await openBench();
  const granted = await grantOne(engine);
  await engine.claimWithoutExecution({ ...granted, registry });

  await engine.abandon(granted.action, OPERATOR);

  expect(await engine.status(granted.action)).toMatchObject({ state: "abandoned" });
  expect(await engine.unresolved()).toEqual([]);
  expect((await engine.recover(registry)).actions).toEqual([]);
  const report = await engine.prepareInstallExecution({ ...granted, registry }).execute();
  expect(report).toMatchObject({ outcome: "indeterminate", settled: false, reason: { code: "abandoned" } });
  expect(shelf.connectCalls).toBe(0);
  const plan = {
    scope: SCOPE,
    selection: selectionOf(),
    policy: createConsentPolicy(),
    catalogSnapshotDigest: CATALOG_DIGEST,
  };
  expect(await engine.planInstall(plan)).toMatchObject({ kind: "blocked" });
  expect(await journal.verify()).toMatchObject({ claims: 1, outcomes: 0, settlements: 0, abandonments: 1 });
});

test("only a claimed action without an outcome can be abandoned", async () => {
  const { engine, registry } = await openBench();
  const granted = await grantOne(engine);
  await expect(engine.abandon(granted.action, OPERATOR)).rejects.toMatchObject({ code: "CLAIM_REQUIRED" });
  await engine.prepareInstallExecution({ ...granted, registry }).execute();
  await expect(engine.abandon(granted.action, OPERATOR)).rejects.toMatchObject({ code: "ACTION_NOT_PENDING" });
});

const PLACE: InstallTarget = { id: "root-id", path: "/place", device: "18446744073709551615", inode: "131073" };
const RENUMBERED: InstallTarget = { ...PLACE, device: "7" };

test("the same place under another device stays open with both numbers until an operator rebinds it", async () => {
  const { engine, shelf } = await openBench();
  const granted = await grantOne(engine);
  const registry = shelfRegistry({ shelf, target: PLACE, targetName: "before" });
  await engine.claimWithoutExecution({ ...granted, registry });
  shelf.texts.set(granted.action.payload.resultMaterial.contentSha256, BODY);

  const renumbered = shelfRegistry({ shelf, target: RENUMBERED, targetName: "after" });
  const report = await engine.prepareInstallExecution({ ...granted, registry: renumbered }).execute();
  expect(report).toMatchObject({
    outcome: "indeterminate",
    reason: {
      code: "target-renumbered",
      facts: { claimedDevice: PLACE.device, claimedInode: "131073", foundDevice: "7", foundInode: "131073" },
    },
  });
  expect(shelf.connectCalls).toBe(0);
  expect(await engine.unresolved()).toMatchObject([{ reason: { code: "target-renumbered" } }]);

  await engine.rebindTarget(granted.action, { reason: "the disk was remounted", registry: renumbered });

  const settled = await engine.prepareInstallExecution({ ...granted, registry: renumbered }).execute();
  expect(settled).toMatchObject({ outcome: "applied", settled: true, claimWasNew: false });
});

test("another id, another path or no id at all is refused, and cannot be rebound", async () => {
  const { engine, shelf } = await openBench();
  const granted = await grantOne(engine);
  const claimed = shelfRegistry({ shelf, target: PLACE, targetName: "before" });
  await engine.claimWithoutExecution({ ...granted, registry: claimed });
  const others = [
    shelfRegistry({ shelf, target: { ...RENUMBERED, id: "other-id" }, targetName: "after" }),
    shelfRegistry({ shelf, target: { ...RENUMBERED, path: "/elsewhere" }, targetName: "after" }),
    shelfRegistry({ shelf, targetName: "after" }),
  ];
  for (const registry of others) {
    const run = engine.prepareInstallExecution({ ...granted, registry }).execute();
    await expect(run).rejects.toMatchObject({ code: "TARGET_REFUSED" });
    const rebind = engine.rebindTarget(granted.action, { reason: "try", registry });
    await expect(rebind).rejects.toMatchObject({
      code: expect.stringMatching(/TARGET_REFUSED|REBIND_REFUSED/) as string,
    });
  }
  expect(shelf.connectCalls).toBe(0);
});

test("a place that is not renumbered needs no rebinding", async () => {
  const { engine, shelf } = await openBench();
  const granted = await grantOne(engine);
  const registry = shelfRegistry({ shelf, target: PLACE });
  await engine.claimWithoutExecution({ ...granted, registry });
  await expect(engine.rebindTarget(granted.action, { reason: "to be sure", registry })).rejects.toMatchObject({
    code: "REBIND_REFUSED",
  });
});
