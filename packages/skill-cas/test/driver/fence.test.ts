import { describe, expect, it } from "vitest";
import { failureOf } from "../failure.ts";
import { once } from "../faults/interpose.ts";
import { BODY, openBench } from "./bench.ts";

// Spec 9.6 and 9.7: what a failed apply wrote may only be in the page cache, so its handle never says that it is there.

it("a driver that applied and then looks makes one sync of the file and one of the directory, in all", async () => {
  const bench = await openBench();
  const syncs: string[] = [];
  const factory = bench.factory(({ kind }) => {
    if (kind.startsWith("sync")) syncs.push(kind);
    return undefined;
  });
  await using driver = await factory.connect(bench.request(factory));
  syncs.length = 0;
  await driver.applyOnce();
  expect((await driver.reconcile()).state).toBe("installed-exact");
  expect(syncs).toEqual(["syncFile", "syncDirectory"]);
  await using fresh = await factory.connect(bench.request(factory));
  expect((await fresh.reconcile()).state).toBe("installed-exact");
  // Another handle knows nothing of those.
  expect(syncs).toEqual(["syncFile", "syncDirectory", "syncFile", "syncDirectory"]);
});

describe("a driver whose apply failed", () => {
  it.each([
    ["the sync of the file", "syncFile", "sync-failed"],
    ["the sync of the directory", "syncDirectory", "sync-failed"],
    ["the link", "link", "effect-failed"],
    ["the write", "write", "effect-failed"],
  ] as const)("at %s reports that for ever and touches nothing more; another one looks", async (_what, kind, code) => {
    const bench = await openBench();
    let effects = 0;
    // The session links once when it is opened, to try whether that works.
    const fault = once((effect, before) => {
      effects += 1;
      const staged = before.some((earlier) => earlier.kind === "create" && earlier.name === bench.stage);
      return effect.kind === kind && staged ? "EIO" : undefined;
    });
    const factory = bench.factory(fault);
    await using driver = await factory.connect(bench.request(factory));
    expect(await failureOf(() => driver.applyOnce())).toMatchObject({ facts: { effect: kind, errnoName: "EIO" } });
    const seen = effects;
    const reported = { state: "indeterminate", reason: { code } };
    expect(await driver.reconcile()).toMatchObject(reported);
    expect(await driver.reconcile()).toMatchObject(reported);
    expect(effects).toBe(seen);
    await using fresh = await factory.connect(bench.request(factory));
    expect((await fresh.reconcile()).state).toBe(kind === "write" ? "absent" : "installed-exact");
    expect(bench.source.loads).toBe(1);
  });

  it("because the body was wrong reports that, and nothing was written", async () => {
    const bench = await openBench(`${BODY.slice(0, -2)}!\n`);
    const factory = bench.factory();
    await using driver = await factory.connect(bench.request(factory));
    expect(await failureOf(() => driver.applyOnce())).toMatchObject({ code: "BODY_REJECTED" });
    expect(await driver.reconcile()).toMatchObject({ state: "indeterminate", reason: { code: "body-rejected" } });
    expect(bench.names()).toEqual([]);
    await using fresh = await factory.connect(bench.request(factory));
    expect((await fresh.reconcile()).state).toBe("absent");
  });

  it("because the source failed does not ask it again", async () => {
    const bench = await openBench(() => {
      throw new Error("the source is out, and its message may hold anything");
    });
    const factory = bench.factory();
    await using driver = await factory.connect(bench.request(factory));
    await expect(driver.applyOnce()).rejects.toThrow("the source is out");
    expect(await driver.reconcile()).toMatchObject({
      state: "indeterminate",
      reason: { code: "body-source-failed", facts: { error: "Error" } },
    });
    expect(await failureOf(() => driver.applyOnce())).toMatchObject({ code: "BODY_REJECTED" });
    expect(bench.source.loads).toBe(1);
  });

  it("because it was aborted wrote nothing and loaded nothing", async () => {
    const bench = await openBench();
    const factory = bench.factory();
    const request = { ...bench.request(factory), signal: AbortSignal.abort() };
    await using driver = await factory.connect(request);
    await expect(driver.applyOnce()).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    expect(bench.source.loads).toBe(0);
    expect((await driver.reconcile()).state).toBe("indeterminate");
    expect(bench.names()).toEqual([]);
  });
});

describe("a driver that applied", () => {
  it("does not load the body again, whoever asks, and however often", async () => {
    const bench = await openBench();
    const factory = bench.factory();
    await using driver = await factory.connect(bench.request(factory));
    await using other = await factory.connect(bench.request(factory));
    await Promise.all([driver.applyOnce(), other.applyOnce(), driver.applyOnce()]);
    expect(bench.source.loads).toBe(1);
    expect(bench.names()).toEqual([bench.object]);
    for (const each of [driver, other]) expect((await each.reconcile()).state).toBe("installed-exact");
  });
});
