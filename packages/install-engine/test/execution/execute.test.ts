import { expect, test } from "vitest";
import type { JournalStore } from "../../src/index.ts";
import { BODY, collect, grantOne, openBench, selectionOf, shelfRegistry } from "../support/bench.ts";

test("a granted install is claimed, applied once, seen and settled", async () => {
  const { engine, registry, shelf } = await openBench();
  const granted = await grantOne(engine);
  expect(await engine.status(granted.action)).toEqual({ state: "unclaimed" });

  const report = await engine.prepareInstallExecution({ ...granted, registry }).execute();

  expect(report).toMatchObject({
    outcome: "applied",
    claimWasNew: true,
    settled: true,
    retryable: false,
    reason: null,
  });
  expect(shelf).toMatchObject({ connectCalls: 1, applyCalls: 1, reconcileCalls: 1, releaseCalls: 1 });
  expect(await engine.status(granted.action)).toMatchObject({ state: "settled", outcome: { outcome: "applied" } });
  const listed = await collect(engine.listInstalled());
  expect(listed.map((entry) => entry.material)).toEqual([selectionOf().authority.resultMaterial]);
});

test("from the decision to the settlement there are exactly four changing calls", async () => {
  const changing: string[] = [];
  const { engine, registry } = await openBench({ wrap: (journal) => counting(journal, changing) });
  const granted = await grantOne(engine);
  expect(changing).toEqual(["commit", "commit"]);

  await engine.prepareInstallExecution({ ...granted, registry }).execute();

  expect(changing.slice(1)).toEqual(["commit", "claim", "recordOutcome", "commit"]);
});

test("connecting comes after the durable claim", async () => {
  const states: string[] = [];
  const { engine, shelf } = await openBench();
  const granted = await grantOne(engine);
  const connect = async (): Promise<void> => {
    states.push((await engine.status(granted.action)).state);
  };
  await engine
    .prepareInstallExecution({ ...granted, registry: shelfRegistry({ shelf, faults: { connect } }) })
    .execute();
  expect(states).toEqual(["claimed"]);
});

test("an exact text that is there already counts as applied", async () => {
  const { engine, registry, shelf } = await openBench();
  const granted = await grantOne(engine);
  shelf.texts.set(granted.action.payload.resultMaterial.contentSha256, BODY);
  const report = await engine.prepareInstallExecution({ ...granted, registry }).execute();
  expect(report).toMatchObject({ outcome: "applied", settled: true });
});

test("a handle of a settled action reports what is durable and touches nothing", async () => {
  const { engine, registry, shelf } = await openBench();
  const granted = await grantOne(engine);
  await engine.prepareInstallExecution({ ...granted, registry }).execute();
  const again = await engine.prepareInstallExecution({ ...granted, registry }).execute();
  expect(again).toMatchObject({
    outcome: "applied",
    settled: true,
    claimWasNew: false,
    verificationDigest: null,
    transition: null,
  });
  expect(shelf.connectCalls).toBe(1);
});

test("a handle of a claimed action only looks", async () => {
  const { engine, registry, shelf } = await openBench();
  const granted = await grantOne(engine);
  await engine.claimWithoutExecution({ ...granted, registry });
  shelf.texts.set(granted.action.payload.resultMaterial.contentSha256, BODY);
  const report = await engine.prepareInstallExecution({ ...granted, registry }).execute();
  expect(report).toMatchObject({ outcome: "applied", settled: true, claimWasNew: false });
  expect(shelf).toMatchObject({ applyCalls: 0, reconcileCalls: 1 });
});

test("of concurrent handles exactly one wins the claim and applies", async () => {
  const { engine, registry, shelf } = await openBench();
  const granted = await grantOne(engine);
  const handles = Array.from({ length: 8 }, () => engine.prepareInstallExecution({ ...granted, registry }));
  const reports = await Promise.all(handles.map((handle) => handle.execute()));
  expect(reports.map((report) => [report.outcome, report.settled])).toEqual(reports.map(() => ["applied", true]));
  expect(reports.filter((report) => report.claimWasNew)).toHaveLength(1);
  expect(shelf.applyCalls).toBe(1);
});

/** Notes every changing call of a journal. */
function counting(journal: JournalStore, changing: string[]): JournalStore {
  return new Proxy(journal, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") {
        return member;
      }
      return (...parameters: unknown[]) => {
        if (name === "commit" || name === "claim" || name === "recordOutcome") {
          changing.push(name);
        }
        return Reflect.apply(member, target, parameters) as unknown;
      };
    },
  });
}
