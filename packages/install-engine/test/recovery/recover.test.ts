import { expect, test } from "vitest";
import {
  createInstallEngine,
  type GrantedInstall,
  type InstallEngine,
  type InstallDriverRegistry,
} from "../../src/index.ts";
import { BODY, grantOne, openBench, SCOPE, selectionOf, shelfRegistry } from "../support/bench.ts";

async function claimMany(
  engine: InstallEngine,
  registry: InstallDriverRegistry,
  sessions: number,
): Promise<GrantedInstall[]> {
  const granted: GrantedInstall[] = [];
  for (let session = 1; session <= sessions; session += 1) {
    const install = await grantOne(engine, selectionOf(), { ...SCOPE, sessionId: `session-${session}` });
    await engine.claimWithoutExecution({ ...install, registry });
    granted.push(install);
  }
  return granted;
}

test("recovery finishes every claimed action of every stream, and never applies", async () => {
  const { engine, journal, registry, shelf } = await openBench();
  const granted = await claimMany(engine, registry, 3);
  shelf.texts.set(selectionOf().authority.resultMaterial.contentSha256, BODY);

  const restarted = createInstallEngine({ journal });
  expect(await restarted.unresolved()).toMatchObject(
    granted.map(() => ({ reason: { code: "not-reconciled" }, seenAt: null })),
  );
  const report = await restarted.recover(registry);

  expect(report.truncated).toBe(false);
  expect(report.actions.map((action) => action.kind)).toEqual(["finished", "finished", "finished"]);
  expect(shelf).toMatchObject({ applyCalls: 0, reconcileCalls: 3 });
  expect(await restarted.unresolved()).toEqual([]);
  for (const { action } of granted) {
    expect(await restarted.status(action)).toMatchObject({ state: "settled", outcome: { outcome: "applied" } });
  }
});

test("recovery is bounded and says so", async () => {
  const { engine, registry } = await openBench();
  await claimMany(engine, registry, 3);
  const report = await engine.recover(registry, { claimsMax: 2 });
  expect(report.truncated).toBe(true);
  expect(report.actions).toHaveLength(2);
  expect(await engine.unresolved()).toHaveLength(1);
});

test("what cannot be finished stays open with its reason, and keeps nobody else waiting", async () => {
  const { engine, registry, shelf } = await openBench();
  const [first, second] = await claimMany(engine, registry, 2);
  if (first === undefined || second === undefined) throw new Error("not claimed");
  shelf.texts.set(selectionOf().authority.resultMaterial.contentSha256, "something else");

  const report = await engine.recover(registry);
  expect(report.actions).toMatchObject([
    { kind: "unresolved", capabilityId: "skill:remote-testing", reason: { code: "observed-conflict" } },
    { kind: "unresolved", reason: { code: "observed-conflict" } },
  ]);
  expect(await engine.unresolved()).toMatchObject([
    { action: first.action, reason: { code: "observed-conflict" }, seenAt: "2026-08-01T12:00:00Z" },
    { action: second.action },
  ]);

  // The way out of a conflict: what is in the way is taken away, then recovery looks again.
  shelf.texts.clear();
  expect((await engine.recover(registry)).actions).toMatchObject([
    { kind: "finished", report: { outcome: "failed", retryable: true } },
    { kind: "finished" },
  ]);
});

test("an action without a driver, or with another host's, is named and left alone", async () => {
  const { engine, registry, shelf } = await openBench();
  await claimMany(engine, registry, 1);
  const otherHost = shelfRegistry({ shelf, host: "another host" });
  expect((await engine.recover(otherHost)).actions).toMatchObject([
    { kind: "unresolved", reason: { code: "binding-substituted" } },
  ]);
  expect(shelf.connectCalls).toBe(0);
});

test("an outcome without its settlement is settled without connecting a driver", async () => {
  const { engine, registry, journal, shelf } = await openBench();
  const granted = await grantOne(engine);
  const crashing = createInstallEngine({
    journal: new Proxy(journal, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (name === "commit") return () => Promise.reject(new Error("crash before the settlement"));
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    }),
  });
  await expect(crashing.prepareInstallExecution({ ...granted, registry }).execute()).rejects.toThrow("crash before");
  expect(await engine.status(granted.action)).toMatchObject({ state: "outcome-recorded" });

  const report = await engine.recover(registry);

  expect(report.actions).toMatchObject([{ kind: "finished", report: { outcome: "applied", claimWasNew: false } }]);
  expect(shelf).toMatchObject({ connectCalls: 1, applyCalls: 1 });
});
