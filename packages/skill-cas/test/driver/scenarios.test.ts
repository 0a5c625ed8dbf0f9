import { linkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { once } from "../faults/interpose.ts";
import { BODY, lookAt, openBench } from "./bench.ts";

// The twelve scenarios of spec 16.1, on the real file system, the real engine and the real SQLite journal.
// Faults are named by effect.

const PRIVATE = { mode: 0o600 };

describe("the skill driver under the install engine", () => {
  it("1: loads the body only after the claim and publishes exactly once", async () => {
    const bench = await openBench();
    expect(bench.source.loads).toBe(0);
    expect((await bench.status()).state).toBe("unclaimed");
    expect(await bench.execute()).toMatchObject({ outcome: "applied", settled: true, claimWasNew: true });
    expect(bench.source).toMatchObject({ loads: 1, claimSeen: "claimed" });
    expect(bench.read(bench.object)).toBe(BODY);
    expect(lookAt(join(bench.root, bench.object))).toMatchObject({ mode: 0o600, links: 1 });
    expect(bench.names()).toEqual([bench.object]);
  });

  it("2: writes nothing when the source gives other bytes", async () => {
    const bench = await openBench("wrong body");
    const report = await bench.execute();
    expect(report).toMatchObject({ outcome: "indeterminate", settled: false, reason: { code: "body-rejected" } });
    expect(bench.source.loads).toBe(1);
    expect(bench.names()).toEqual([]);
    expect((await bench.status()).state).toBe("claimed");
  });

  it("3: takes an exact object as it is and removes its own stale stage", async () => {
    const bench = await openBench();
    writeFileSync(join(bench.root, bench.object), BODY, PRIVATE);
    writeFileSync(join(bench.root, bench.stage), BODY, PRIVATE);
    const before = lookAt(join(bench.root, bench.object));
    expect(await bench.execute()).toMatchObject({ outcome: "applied", settled: true });
    expect(lookAt(join(bench.root, bench.object))).toEqual(before);
    expect(bench.names()).toEqual([bench.object]);
    expect(bench.source.loads).toBe(0);
  });

  it.each(["staged", "linked"])("4: repairs a whole stage that was %s, without applying again", async (crash) => {
    const bench = await openBench();
    await bench.claim();
    writeFileSync(join(bench.root, bench.stage), BODY, PRIVATE);
    if (crash === "linked") {
      linkSync(join(bench.root, bench.stage), join(bench.root, bench.object));
    }
    expect(await bench.execute()).toMatchObject({ outcome: "applied", settled: true, claimWasNew: false });
    expect(bench.read(bench.object)).toBe(BODY);
    expect(bench.names()).toEqual([bench.object]);
    expect(lookAt(join(bench.root, bench.object))).toMatchObject({ mode: 0o600, links: 1 });
    expect(bench.source.loads).toBe(0);
  });

  it("5: removes a partial stage and settles failed: verified absent, and so retryable", async () => {
    const bench = await openBench();
    await bench.claim();
    writeFileSync(join(bench.root, bench.stage), "partial", PRIVATE);
    expect(await bench.execute()).toMatchObject({ outcome: "failed", settled: true, retryable: true });
    expect(bench.names()).toEqual([]);
    expect(await bench.status()).toMatchObject({ state: "settled", outcome: { outcome: "failed" } });
  });

  it("6: never replaces or settles a wrong object", async () => {
    const bench = await openBench();
    writeFileSync(join(bench.root, bench.object), "hostile-existing-object", PRIVATE);
    const before = lookAt(join(bench.root, bench.object));
    expect(await bench.execute()).toMatchObject({
      outcome: "indeterminate",
      settled: false,
      reason: { code: "wrong-size", facts: { name: bench.object, found: 23, expected: 80 } },
    });
    expect(bench.read(bench.object)).toBe("hostile-existing-object");
    expect(lookAt(join(bench.root, bench.object))).toEqual(before);
    expect((await bench.status()).state).toBe("claimed");
    expect(bench.source.loads).toBe(0);
  });

  it.each([
    ["symbolic link", "not-a-regular-file"],
    ["hard link", "unexpected-links"],
  ])("7: never follows or accepts a %s", async (kind, code) => {
    const bench = await openBench();
    const outside = join(bench.root, "..", "outside");
    writeFileSync(outside, BODY, PRIVATE);
    const target = join(bench.root, bench.object);
    if (kind === "symbolic link") {
      symlinkSync(outside, target);
    } else {
      linkSync(outside, target);
    }
    expect(await bench.execute()).toMatchObject({ outcome: "indeterminate", settled: false, reason: { code } });
    expect(bench.read("../outside")).toBe(BODY);
    expect((await bench.status()).state).toBe("claimed");
  });

  it("8: cannot settle while every file sync fails", async () => {
    const bench = await openBench();
    const report = await bench.execute((effect) => (effect.kind === "syncFile" ? "EIO" : undefined));
    expect(report).toMatchObject({
      outcome: "indeterminate",
      settled: false,
      reason: { code: "sync-failed", facts: { effect: "syncFile", errnoName: "EIO", name: bench.stage } },
    });
    expect((await bench.status()).state).toBe("claimed");
  });

  it("9: cannot settle while every directory sync fails", async () => {
    const bench = await openBench();
    const report = await bench.execute((effect) => (effect.kind === "syncDirectory" ? "EIO" : undefined));
    expect(report).toMatchObject({
      outcome: "indeterminate",
      settled: false,
      reason: { code: "sync-failed", facts: { effect: "syncDirectory", errnoName: "EIO" } },
    });
    expect((await bench.status()).state).toBe("claimed");
  });

  it.each([
    ["the stage's file sync", "syncFile"],
    ["the directory sync that follows the link", "syncDirectory"],
  ])("10: a fresh handle repairs one failure of %s without asking for the body again", async (_name, kind) => {
    const bench = await openBench();
    const fault = once((effect, before) =>
      effect.kind === kind && (kind === "syncFile" || before.some(({ kind: earlier }) => earlier === "link"))
        ? "EIO"
        : undefined,
    );
    expect(await bench.execute(fault)).toMatchObject({ outcome: "indeterminate", settled: false });
    expect(fault.happened()).toBe(true);
    expect((await bench.status()).state).toBe("claimed");
    expect(await bench.execute()).toMatchObject({ outcome: "applied", settled: true, claimWasNew: false });
    expect(bench.source.loads).toBe(1);
    expect(bench.read(bench.object)).toBe(BODY);
    expect(lookAt(join(bench.root, bench.object))).toMatchObject({ mode: 0o600, links: 1 });
    expect(bench.names()).toEqual([bench.object]);
  });

  it("11: reconciles an exact object although the body source is out", async () => {
    const bench = await openBench(() => {
      throw new Error("the body source is out");
    });
    await bench.claim();
    writeFileSync(join(bench.root, bench.object), BODY, PRIVATE);
    expect(await bench.execute()).toMatchObject({ outcome: "applied", settled: true, claimWasNew: false });
    expect(bench.source.loads).toBe(0);
    expect(bench.read(bench.object)).toBe(BODY);
  });

  it("12: cleans its own orphan after another action published the same content", async () => {
    const bench = await openBench();
    await bench.claim();
    writeFileSync(join(bench.root, bench.stage), BODY, PRIVATE);
    writeFileSync(join(bench.root, bench.object), BODY, PRIVATE);
    expect(await bench.execute()).toMatchObject({ outcome: "applied", settled: true, claimWasNew: false });
    expect(bench.read(bench.object)).toBe(BODY);
    expect(bench.names()).toEqual([bench.object]);
  });
});
