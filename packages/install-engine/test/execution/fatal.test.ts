import { expect, test } from "vitest";
import { grantOne, openBench, shelfRegistry } from "../support/bench.ts";

const fatal = (): Error => Object.assign(new Error("the host is shutting down"), { fatal: true });

test("a fatal error of apply is re-thrown after what was seen is settled", async () => {
  const { engine, shelf } = await openBench();
  const granted = await grantOne(engine);
  const error = fatal();
  const fail = (): never => {
    throw error;
  };
  const registry = shelfRegistry({ shelf, faults: { apply: { wrote: true, fail } } });
  await expect(engine.prepareInstallExecution({ ...granted, registry }).execute()).rejects.toBe(error);
  expect(shelf).toMatchObject({ applyCalls: 1, reconcileCalls: 1, releaseCalls: 1 });
  expect(await engine.status(granted.action)).toMatchObject({ state: "settled", outcome: { outcome: "applied" } });
});

test("the abort of the caller's signal during apply is fatal, and what was seen is settled first", async () => {
  const { engine, shelf } = await openBench();
  const granted = await grantOne(engine);
  const controller = new AbortController();
  const fail = (): never => {
    controller.abort();
    throw controller.signal.reason;
  };
  const registry = shelfRegistry({ shelf, faults: { apply: { wrote: true, fail } } });
  const run = engine.prepareInstallExecution({ ...granted, registry }).execute({ signal: controller.signal });
  await expect(run).rejects.toMatchObject({ name: "AbortError" });
  expect(await engine.status(granted.action)).toMatchObject({ state: "settled" });
});

test("an AbortError that is not the caller's is a reason like any other", async () => {
  const { engine, shelf } = await openBench();
  const granted = await grantOne(engine);
  const reconcile = (): never => {
    throw new DOMException("the driver's own deadline", "AbortError");
  };
  const registry = shelfRegistry({ shelf, faults: { reconcile } });
  const report = await engine.prepareInstallExecution({ ...granted, registry }).execute();
  expect(report).toMatchObject({ outcome: "indeterminate", reason: { code: "driver-reconcile-failed" } });
});

test("a fatal error of connect ends the run at once; the claim stays open", async () => {
  const { engine, shelf } = await openBench();
  const granted = await grantOne(engine);
  const error = fatal();
  const connect = (): never => {
    throw error;
  };
  const registry = shelfRegistry({ shelf, faults: { connect } });
  await expect(engine.prepareInstallExecution({ ...granted, registry }).execute()).rejects.toBe(error);
  expect(shelf.reconcileCalls).toBe(0);
  expect(await engine.status(granted.action)).toMatchObject({ state: "claimed" });
});

test("a fatal error of reconcile leaves no observation and is re-thrown", async () => {
  const { engine, shelf } = await openBench();
  const granted = await grantOne(engine);
  const error = fatal();
  const reconcile = (): never => {
    throw error;
  };
  const registry = shelfRegistry({ shelf, faults: { reconcile } });
  await expect(engine.prepareInstallExecution({ ...granted, registry }).execute()).rejects.toBe(error);
  expect(shelf.releaseCalls).toBe(1);
  expect(await engine.status(granted.action)).toMatchObject({ state: "claimed" });
});

test("a fatal error of release keeps the observation and is re-thrown after settlement", async () => {
  const { engine, shelf } = await openBench();
  const granted = await grantOne(engine);
  const error = fatal();
  const release = (): never => {
    throw error;
  };
  const registry = shelfRegistry({ shelf, faults: { release } });
  await expect(engine.prepareInstallExecution({ ...granted, registry }).execute()).rejects.toBe(error);
  expect(await engine.status(granted.action)).toMatchObject({ state: "settled" });
});
