import { describe, expect, test } from "vitest";
import {
  ACTION_LIFE_MS,
  createInstallEngine,
  type GrantedInstall,
  type InstallEngine,
  type InstallExecutionReport,
  type InstallDriverRegistry,
  InstallEngineError,
} from "../../src/index.ts";
import { answer, type Bench, grantOne, openBench, planOne, SCOPE, selectionOf } from "../support/bench.ts";

/** Two engines on one journal: what the first remembers of the stream, the second makes outdated. */
async function openTwo(options: Parameters<typeof openBench>[0] = {}): Promise<Bench & { other: InstallEngine }> {
  const bench = await openBench(options);
  return { ...bench, other: createInstallEngine({ journal: bench.journal }) };
}

function execute(
  engine: InstallEngine,
  granted: GrantedInstall,
  registry: InstallDriverRegistry,
): Promise<InstallExecutionReport> {
  return engine.prepareInstallExecution({ ...granted, registry }).execute();
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof InstallEngineError ? error.code : `no refusal: ${String(error)}`;
}

/** An event that moves the stream and has nothing to do with the install under test. */
async function moveStream(engine: InstallEngine, name = "somebody-elses"): Promise<void> {
  await engine.planInstall({ scope: SCOPE, selection: selectionOf(name) });
}

describe("what an engine remembers of a stream never decides anything once another engine has moved it", () => {
  test("a request that the other one decided is not outstanding any more", async () => {
    const { engine, other } = await openTwo();
    const consent = await planOne(engine);
    expect((await answer(other, consent, "denied")).kind).toBe("denied");
    expect(await codeOf(answer(engine, consent))).toBe("CONSENT_NOT_PENDING");
    expect((await engine.overview(SCOPE))?.pending).toEqual([]);
  });

  test("a request that an event of the other one made outdated is not outstanding any more", async () => {
    const { engine, other } = await openTwo();
    const consent = await planOne(engine);
    await moveStream(other);
    expect(await codeOf(answer(engine, consent))).toBe("CONSENT_NOT_PENDING");
    const renewed = (await engine.overview(SCOPE))?.consent;
    expect(renewed?.entityId).toBe(consent.entityId);
    expect(renewed === undefined || renewed === null ? null : (await answer(engine, renewed)).kind).toBe("granted");
  });

  test("a grant is claimed for the stream as it is now", async () => {
    const { engine, other, registry, shelf } = await openTwo();
    const granted = await grantOne(engine);
    await moveStream(other);
    expect(await execute(engine, granted, registry)).toMatchObject({
      outcome: "applied",
      claimWasNew: true,
      settled: true,
    });
    expect(shelf.appliesByAction.get(granted.action.actionId)).toBe(1);
  });

  test("a grant that the other one has run is reported and not run again", async () => {
    const { engine, other, registry, shelf } = await openTwo();
    const granted = await grantOne(engine);
    expect((await execute(other, granted, registry)).claimWasNew).toBe(true);
    expect(await execute(engine, granted, registry)).toMatchObject({
      outcome: "applied",
      claimWasNew: false,
      settled: true,
    });
    expect(shelf.appliesByAction.get(granted.action.actionId)).toBe(1);
  });

  test("a grant that the other one claimed is only looked for", async () => {
    const { engine, other, registry, shelf } = await openTwo();
    const granted = await grantOne(engine);
    await other.claimWithoutExecution({ ...granted, registry });
    expect(await execute(engine, granted, registry)).toMatchObject({ outcome: "failed", claimWasNew: false });
    expect(shelf.appliesByAction.get(granted.action.actionId) ?? 0).toBe(0);
  });

  test("a grant that the other one has expired is not pending", async () => {
    const { engine, other, registry, clock, shelf } = await openTwo();
    const granted = await grantOne(engine);
    clock.milliseconds += ACTION_LIFE_MS;
    await other.expireAction(granted.action);
    expect(await codeOf(execute(engine, granted, registry))).toBe("ACTION_NOT_PENDING");
    expect(shelf.appliesByAction.size).toBe(0);
  });

  test("a claim that the other one gave up is not run", async () => {
    const { engine, other, registry, shelf } = await openTwo();
    const granted = await grantOne(engine);
    await other.claimWithoutExecution({ ...granted, registry });
    await other.abandon(granted.action, { operator: "operator-1", reason: "a test" });
    expect(await execute(engine, granted, registry)).toMatchObject({
      outcome: "indeterminate",
      reason: { code: "abandoned" },
    });
    expect(shelf.appliesByAction.size).toBe(0);
  });

  test("what was applied while the other one moved the stream is settled on the stream as it is now", async () => {
    let move: () => Promise<void> = () => Promise.resolve();
    const { engine, other, registry } = await openTwo({ faults: { look: () => move() } });
    const granted = await grantOne(engine);
    move = () => moveStream(other);
    expect(await execute(engine, granted, registry)).toMatchObject({ outcome: "applied", settled: true });
    expect((await other.overview(SCOPE))?.installed).toHaveLength(1);
  });
});
