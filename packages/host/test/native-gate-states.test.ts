import { spawn } from "node:child_process";
import { cp, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { readEvidence } from "@mesh/evidence";
import { embeddedBundleDirectory, readBundle } from "@mesh/llama-runtime";
import { writeSampleModel } from "@mesh/llama-runtime/sample-model";
import { describe, expect, it } from "vitest";
import { inFolder } from "./mesh-command.ts";
import { BUNDLE_VARIABLE, EVIDENCE_VARIABLE, GATE_VARIABLE, MODEL_VARIABLE } from "./native-gate/gate.ts";

const GATE_PROGRAM = fileURLToPath(new URL("./native-gate/run.ts", import.meta.url));
/** Makes the process look like one on a processor that has no prebuilt addon. */
const FOREIGN_PROCESSOR = `data:text/javascript,${encodeURIComponent('Object.defineProperty(process, "arch", { value: "riscv64" });')}`;

interface GateRun {
  readonly status: number | null;
  readonly output: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

async function runGate(
  environment: Environment,
  args: readonly string[] = [],
  nodeArgs: readonly string[] = [],
): Promise<GateRun> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...nodeArgs, GATE_PROGRAM, ...args], {
    env: { ...process.env, GGML_NO_BACKTRACE: "1", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  return { status, output };
}

/** Everything a gated run needs, in a folder; and an evidence file that an earlier run left, which must not survive. */
async function prepare(folder: string): Promise<{ readonly environment: Environment; readonly evidence: string }> {
  const { path } = await writeSampleModel({ path: join(folder, "model.gguf"), preset: "tiny" });
  const evidence = join(folder, "evidence");
  await writeFile(evidence, "executed\nleft-over: of an earlier run\n");
  return {
    evidence,
    environment: {
      [GATE_VARIABLE]: "1",
      [BUNDLE_VARIABLE]: embeddedBundleDirectory(),
      [MODEL_VARIABLE]: path,
      [EVIDENCE_VARIABLE]: evidence,
    },
  };
}

describe("the native gate with everything it needs", () => {
  it("runs on the real runtime, and its evidence has exactly the lines of the format, in their order", () =>
    inFolder(async (folder) => {
      const { environment, evidence } = await prepare(folder);
      const run = await runGate(environment);
      expect(run).toMatchObject({ status: 0 });
      const found = readEvidence(evidence);
      if (found.state !== "executed") throw new Error(`the evidence is ${found.state}`);
      const lines = (await readFile(evidence, "utf8")).split("\n");
      const steps = lines.slice(
        1,
        lines.findIndex((line) => line.startsWith("run-")),
      );
      expect(lines[0]).toBe("executed");
      expect(steps).toHaveLength(EXPECTED_LINES.length);
      for (const [index, expected] of EXPECTED_LINES.entries()) expect(steps[index]).toMatch(expected);
    }));
});

const KINDS = String.raw`kinds=\[ModelOpenStarted,ModelOpenProgress(x\d+)?,BackendDeviceSelected,ModelLoadPhaseChanged,ModelLoadTokenizerReady,ModelOpenFinished\]`;
const OPEN_OK = String.raw`ok records=\d+ seq=1\.\.\d+ ${KINDS} dropped=0 rejected=0 abi_version=1 struct_size>=112$`;
const OPEN_FAILED = String.raw`err="[A-Z_]+: .+" records=\d+ seq=\d+\.\.\d+ kinds=\[.*\] post-return-len-after-200ms=0 failed-handled-observed=true$`;

const EXPECTED_LINES = [
  /^exact-abi-admission: native runtime loaded \(loader enforces exact major\.minor\.patch\)$/,
  /^capability-probe: confirmed=0x[0-9a-f]+ health_messages=0$/,
  /^runtime-events-feature-bit: confirmed \(FEATURE_RUNTIME_EVENTS=0x1000000\)$/,
  /^mixed-version-fallback: unit-covered by ".+" and ".+"; not reachable in this process because .+$/,
  /^reporter-install: true$/,
  /^model-open: single-part real model-open succeeded selected_backend_device=\S+$/,
  /^session: prompt_tokens=\d+ decoded_steps=4 reset=ok$/,
  /^unload-callbacks: [2-9]\d*$/,
  /^session-kv-callbacks: [1-9]\d*$/,
  /^structured-production-callbacks: [1-9]\d*$/,
  new RegExp(`^open-with-events: ${OPEN_OK}`),
  new RegExp(`^open-from-parts-with-events: ${OPEN_OK}`),
  new RegExp(`^failed-open-garbage-gguf: ${OPEN_FAILED}`),
  new RegExp(`^failed-open-missing-path: ${OPEN_FAILED}`),
  /^family-coverage: model_load_events_v2 confirmed=true count=[1-9]\d* OBSERVED$/,
  /^family-coverage: kv_events confirmed=true count=\d+ (NOT_)?OBSERVED$/,
  /^family-coverage: device_events confirmed=true count=[1-9]\d* OBSERVED$/,
  /^family-coverage: diagnostic_events confirmed=true count=\d+ (NOT_)?OBSERVED$/,
  /^family-coverage: unload_events confirmed=true count=[1-9]\d* OBSERVED$/,
  /^global-reporter: dropped=0 rejected=0$/,
  /^reporter-clear: returned$/,
];

describe("the native gate without one of the things it needs", () => {
  it("is not run when the gate variable is not exactly 1, passes, and says so", () =>
    inFolder(async (folder) => {
      const { environment, evidence } = await prepare(folder);
      for (const value of [undefined, "", "0", "true", "11"]) {
        const run = await runGate({ ...environment, [GATE_VARIABLE]: value });
        expect(run).toMatchObject({ status: 0 });
        expect(run.output).toContain(`BLOCKED: ${GATE_VARIABLE} unset`);
        expect(readEvidence(evidence).state).toBe("blocked-when-ungated");
      }
    }));

  it.each([
    ["bundle", BUNDLE_VARIABLE],
    ["model", MODEL_VARIABLE],
  ])("is blocked and fails without the variable of the %s", (_name, variable) =>
    inFolder(async (folder) => {
      const { environment, evidence } = await prepare(folder);
      const run = await runGate({ ...environment, [variable]: undefined });
      expect(run.status).not.toBe(0);
      expect(run.output).toContain(`BLOCKED: ${variable} unset`);
      expect(await readFile(evidence, "utf8")).toBe(`blocked: ${variable} unset, required when ${GATE_VARIABLE}=1\n`);
    }),
  );

  it.each([
    ["bundle", BUNDLE_VARIABLE],
    ["model", MODEL_VARIABLE],
  ])("is blocked and fails when the variable of the %s leads nowhere", (_name, variable) =>
    inFolder(async (folder) => {
      const { environment, evidence } = await prepare(folder);
      const run = await runGate({ ...environment, [variable]: join(folder, "nowhere") });
      expect(run.status).not.toBe(0);
      expect(readEvidence(evidence).state).toBe("blocked");
    }),
  );

  it("is blocked and fails on a processor that has no prebuilt addon, and names it", () =>
    inFolder(async (folder) => {
      const { environment, evidence } = await prepare(folder);
      const run = await runGate(environment, [], ["--import", FOREIGN_PROCESSOR]);
      expect(run.status).not.toBe(0);
      expect(await readFile(evidence, "utf8")).toBe("blocked: no prebuilt addon for linux-riscv64\n");
    }));

  it("fails and writes nothing without an evidence file", () =>
    inFolder(async (folder) => {
      const { environment, evidence } = await prepare(folder);
      const before = await readFile(evidence, "utf8");
      const run = await runGate({ ...environment, [EVIDENCE_VARIABLE]: undefined });
      expect(run.status).not.toBe(0);
      expect(run.output).toContain(EVIDENCE_VARIABLE);
      expect(await readFile(evidence, "utf8")).toBe(before);
    }));

  it("failed when a confirmed family was never seen, and keeps every line that it had established", () =>
    inFolder(async (folder) => {
      const { environment, evidence } = await prepare(folder);
      const run = await runGate(environment, ["device_events"]);
      expect(run.status).not.toBe(0);
      const found = readEvidence(evidence);
      expect(found).toMatchObject({ state: "failed", reason: expect.stringContaining("device_events") as string });
      const text = await readFile(evidence, "utf8");
      expect(text).toContain("family-coverage: device_events confirmed=true count=0 NOT_OBSERVED\n");
      expect(text).toContain("reporter-clear: returned\n");
    }));

  it("failed when one byte of a library is another, and loads nothing", () =>
    inFolder(async (folder) => {
      const { environment, evidence } = await prepare(folder);
      const bundle = join(folder, "bundle");
      await cp(embeddedBundleDirectory(), bundle, { recursive: true });
      const library = (await readBundle(bundle)).libraries.at(-1) ?? "";
      const file = await open(library, "r+");
      await file.write(Buffer.from([0x21]), 0, 1, 4096);
      await file.close();
      const run = await runGate({ ...environment, [BUNDLE_VARIABLE]: bundle });
      expect(run.status).not.toBe(0);
      expect(readEvidence(evidence)).toMatchObject({
        state: "failed",
        reason: expect.stringContaining("not intact") as string,
      });
    }));
});
