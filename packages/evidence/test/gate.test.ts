import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Evidence } from "../src/evidence.ts";
import { nativeGate, type GateInputs, type NativeGate } from "../src/gate.ts";
import { readEvidence } from "../src/read.ts";
import { digestSubject } from "../src/subject.ts";
import { temporaryFolder } from "./temporary.ts";

const folder = temporaryFolder();

/** A gate over the given environment, with everything it says kept. */
function gateOver(
  environment: Record<string, string | undefined>,
  more: Partial<NativeGate> = {},
): { options: NativeGate; said: string[] } {
  const said: string[] = [];
  const options: NativeGate = {
    gate: "GATE",
    evidenceFile: "EVIDENCE",
    command: "the gate's test",
    requires: [
      { kind: "variable", variable: "BUNDLE", purpose: "point at a native runtime" },
      { kind: "variable", variable: "MODEL", purpose: "name a readable model" },
    ],
    environment,
    say: (line) => said.push(line),
    ...more,
  };
  return { options, said };
}

const onePasses = (evidence: Evidence): void => {
  evidence.record("step", "passed");
};
const neverRun = (): never => {
  throw new Error("a step ran");
};

function gated(more: Record<string, string | undefined> = {}): Record<string, string | undefined> {
  return { GATE: "1", EVIDENCE: folder.file("evidence"), BUNDLE: "/bundle", MODEL: "/model", ...more };
}

describe("an ungated run", () => {
  test.each([undefined, "", "0", "true", "1 ", "01"])("(gate %j) passes, runs no step and says so", async (gate) => {
    const { options, said } = gateOver(gated({ GATE: gate }));
    await expect(nativeGate(options, neverRun)).resolves.toMatchObject({ kind: "blocked-when-ungated" });
    expect(said).toEqual(["BLOCKED: GATE unset"]);
    expect(readFileSync(folder.file("evidence"), "utf8")).toBe(
      "blocked-when-ungated: gate unset, no native symbol was touched\n",
    );
  });

  test("does not let an earlier executed survive", async () => {
    await nativeGate(gateOver(gated()).options, onePasses);
    expect(readEvidence(folder.file("evidence")).state).toBe("executed");
    await nativeGate(gateOver(gated({ GATE: undefined })).options, neverRun);
    expect(readEvidence(folder.file("evidence")).state).toBe("blocked-when-ungated");
  });

  test("without an evidence file writes nothing", async () => {
    const { options } = gateOver({});
    await expect(nativeGate(options, neverRun)).resolves.toMatchObject({ kind: "blocked-when-ungated" });
  });
});

describe("a gated run that lacks a prerequisite fails loudly and says which", () => {
  test("the evidence file: first of all, with nothing written or said", async () => {
    const { options, said } = gateOver(gated({ EVIDENCE: undefined, BUNDLE: undefined }));
    await expect(nativeGate(options, neverRun)).rejects.toMatchObject({
      code: "GATE_BLOCKED",
      message: "GATE=1 requires EVIDENCE to name the evidence file",
    });
    expect(said).toEqual([]);
    expect(existsSync(folder.file("evidence"))).toBe(false);
  });

  test.each([
    ["BUNDLE", "point at a native runtime", undefined],
    ["MODEL", "name a readable model", undefined],
    ["MODEL", "name a readable model", ""],
  ])("the variable %s", async (variable, purpose, value) => {
    writeFileSync(folder.file("evidence"), "executed\n");
    const { options, said } = gateOver(gated({ [variable]: value }));
    await expect(nativeGate(options, neverRun)).rejects.toMatchObject({
      code: "GATE_BLOCKED",
      message: `GATE=1 requires ${variable} to ${purpose}`,
    });
    expect(said).toEqual([`BLOCKED: ${variable} unset`]);
    expect(readFileSync(folder.file("evidence"), "utf8")).toBe(`blocked: ${variable} unset, required when GATE=1\n`);
  });

  test("the addon", async () => {
    const { options, said } = gateOver(gated(), {
      requires: [{ kind: "probe", purpose: "load native code", missing: () => "no prebuilt addon for linux-riscv64" }],
    });
    await expect(nativeGate(options, neverRun)).rejects.toMatchObject({ code: "GATE_BLOCKED" });
    expect(said).toEqual(["BLOCKED: no prebuilt addon for linux-riscv64"]);
    expect(readFileSync(folder.file("evidence"), "utf8")).toBe("blocked: no prebuilt addon for linux-riscv64\n");
  });

  test("a model that cannot be read: blocked, not failed, for no step was tried", async () => {
    const { options } = gateOver(gated(), { subjects: async () => [await digestSubject(folder.file("no-model"))] });
    await expect(nativeGate(options, neverRun)).rejects.toMatchObject({ code: "GATE_BLOCKED" });
    expect(readEvidence(folder.file("evidence"))).toMatchObject({
      state: "blocked",
      reason: expect.stringContaining("ENOENT") as unknown,
    });
  });
});

describe("a gated run with everything it needs", () => {
  test("hands the values to the steps and says executed after the last of them", async () => {
    const file = folder.file("model.gguf");
    writeFileSync(file, "model");
    const seen: GateInputs[] = [];
    const { options } = gateOver(gated({ MODEL: file }), {
      subjects: async ({ MODEL = "" }) => [await digestSubject(MODEL)],
    });
    const outcome = await nativeGate(options, async (evidence, inputs) => {
      seen.push(inputs);
      await Promise.resolve();
      expect(readEvidence(folder.file("evidence")).state).toBe("running");
      evidence.record("step", "passed");
    });
    expect(outcome).toEqual({ kind: "executed", file: folder.file("evidence") });
    expect(seen).toEqual([{ BUNDLE: "/bundle", MODEL: file }]);
    expect(readEvidence(folder.file("evidence"))).toMatchObject({
      state: "executed",
      facts: { subjects: [{ name: "model.gguf", size: 5 }] },
    });
  });

  test("fails with the step's own failure, after what it left in place was released", async () => {
    const order: string[] = [];
    const failure = new Error("callback missing\nwith a long story");
    const { options } = gateOver(gated(), {
      release: () => {
        order.push(`released while ${readEvidence(folder.file("evidence")).state}`);
      },
    });
    const run = nativeGate(options, (evidence) => {
      evidence.record("step", "passed");
      throw failure;
    });
    await expect(run).rejects.toBe(failure);
    expect(order).toEqual(["released while running"]);
    expect(readEvidence(folder.file("evidence"))).toMatchObject({
      state: "failed",
      reason: "callback missing",
      steps: [{ name: "step", value: "passed" }],
    });
  });

  test("whose steps record nothing is not executed", async () => {
    await expect(nativeGate(gateOver(gated()).options, () => undefined)).rejects.toMatchObject({
      code: "EVIDENCE_EMPTY",
    });
    expect(readEvidence(folder.file("evidence")).state).toBe("running");
  });

  test("knows the environment as it was at the start, whatever loading native code makes of it", async () => {
    const environment = gated();
    const { options } = gateOver(environment, {
      requires: [
        {
          kind: "probe",
          purpose: "load native code",
          missing: () => {
            environment["MODEL"] = "/changed";
            environment["EVIDENCE"] = folder.file("another");
            return undefined;
          },
        },
        { kind: "variable", variable: "MODEL", purpose: "name a readable model" },
      ],
    });
    await nativeGate(options, (evidence, inputs) => {
      expect(inputs).toEqual({ MODEL: "/model" });
      onePasses(evidence);
    });
    expect(readEvidence(folder.file("evidence")).state).toBe("executed");
    expect(existsSync(folder.file("another"))).toBe(false);
  });

  test("reports trouble with the release beside the failure, never in its place", async () => {
    const failure = new Error("the step");
    const { options } = gateOver(gated(), { release: () => Promise.reject(new Error("the release")) });
    const run = nativeGate(options, () => {
      throw failure;
    });
    await expect(run).rejects.toMatchObject({ cause: failure, errors: [failure, { message: "the release" }] });
    expect(readEvidence(folder.file("evidence"))).toMatchObject({ state: "failed", reason: "the step" });
  });
});
