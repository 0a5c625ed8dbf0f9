import { rmSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { checkEvidence } from "../src/check.ts";
import { Evidence } from "../src/evidence.ts";
import { digestSubject } from "../src/subject.ts";
import { temporaryFolder } from "./temporary.ts";

const folder = temporaryFolder();
const ENDED = new Date("2026-03-01T10:00:00.000Z");
let file: string;
let model: string;

beforeEach(async () => {
  file = folder.file("evidence");
  model = folder.file("model.gguf");
  writeFileSync(model, "the model");
  const evidence = Evidence.start({ file, command: "gate", subjects: [await digestSubject(model)], now: () => ENDED });
  evidence.record("unload-callbacks", "2");
  evidence.flushExecuted();
});

function after(ms: number): () => Date {
  return () => new Date(ENDED.getTime() + ms);
}

describe("checkEvidence accepts", () => {
  test("a run that says executed, when nothing more is asked", async () => {
    await expect(checkEvidence(file)).resolves.toMatchObject({ kind: "accepted", evidence: { state: "executed" } });
  });

  test("a run that meets every condition, is about every subject and recent enough", async () => {
    const policy = { require: ["unload-callbacks >= 1"], subjects: [model], maxAgeMs: 1000, now: after(1000) };
    await expect(checkEvidence(file, policy)).resolves.toMatchObject({ kind: "accepted" });
  });

  test("a subject under another name, for its bytes are what was tested", async () => {
    const copy = folder.file("copy.gguf");
    writeFileSync(copy, "the model");
    await expect(checkEvidence(file, { subjects: [copy] })).resolves.toMatchObject({ kind: "accepted" });
  });
});

describe("checkEvidence refuses as stale", () => {
  test("a subject of which one byte changed", async () => {
    writeFileSync(model, "the modem");
    await expect(checkEvidence(file, { subjects: [model] })).resolves.toMatchObject({
      kind: "refused",
      refusals: [{ code: "SUBJECT_DIFFERS", path: model }],
    });
  });

  test("a subject that is gone", async () => {
    rmSync(model);
    await expect(checkEvidence(file, { subjects: [model] })).resolves.toMatchObject({
      kind: "refused",
      refusals: [{ code: "SUBJECT_MISSING", path: model }],
    });
  });

  test("a subject the run was not about", async () => {
    const other = folder.file("library.so");
    writeFileSync(other, "a library");
    await expect(checkEvidence(file, { subjects: [other] })).resolves.toMatchObject({
      kind: "refused",
      refusals: [{ code: "SUBJECT_NOT_NAMED", path: other }],
    });
  });

  test.each([1001, -1])("a run that ended %d ms ago, when at most 1000 are allowed", async (ms) => {
    await expect(checkEvidence(file, { maxAgeMs: 1000, now: after(ms) })).resolves.toMatchObject({
      kind: "refused",
      refusals: [{ code: "TOO_OLD", ageMs: ms, maxAgeMs: 1000 }],
    });
  });
});

describe("checkEvidence refuses", () => {
  test("a condition that does not hold, and reports everything that is wrong at once", async () => {
    writeFileSync(model, "another");
    const policy = { require: ["unload-callbacks >= 3", "missing"], subjects: [model], maxAgeMs: 0, now: after(1) };
    const check = await checkEvidence(file, policy);
    expect(check.kind === "refused" && check.refusals.map((one) => one.code)).toEqual([
      "REQUIREMENT_UNMET",
      "REQUIREMENT_UNMET",
      "TOO_OLD",
      "SUBJECT_DIFFERS",
    ]);
  });

  const states: [string, string | undefined][] = [
    ["absent", undefined],
    ["unreadable", "executed\n"],
    ["blocked", "blocked: no addon\n"],
    ["blocked-when-ungated", "blocked-when-ungated: gate unset\n"],
  ];

  test.each(states)("a file that is %s", async (state, text) => {
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
    await expect(checkEvidence(file)).resolves.toMatchObject({
      kind: "refused",
      refusals: [{ code: "NOT_EXECUTED", state }],
    });
  });

  test("a run that has not ended, and one that failed", async () => {
    const evidence = Evidence.start({ file, command: "gate" });
    await expect(checkEvidence(file)).resolves.toMatchObject({
      refusals: [{ code: "NOT_EXECUTED", state: "running" }],
    });
    evidence.flushFailed("it broke");
    await expect(checkEvidence(file)).resolves.toMatchObject({
      refusals: [{ code: "NOT_EXECUTED", state: "failed", reason: "it broke" }],
    });
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])(
    "a greatest age of %d, before it reads anything",
    async (maxAgeMs) => {
      await expect(checkEvidence(folder.file("none"), { maxAgeMs })).rejects.toMatchObject({ code: "INVALID_POLICY" });
    },
  );

  test("a condition it cannot read, before it reads anything", async () => {
    await expect(checkEvidence(folder.file("none"), { require: ["a >= x"] })).rejects.toMatchObject({
      code: "INVALID_POLICY",
    });
  });
});
