import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { digestSubject, Evidence, type EvidenceSubject } from "@mesh/evidence";

import type { CommandContext } from "../report/context.ts";
import { examineHost } from "../report/examine-host.ts";
import type { HostRuntime } from "../runtime/open-runtime.ts";
import { ensurePrivateDirectory } from "../state-directory.ts";
import { demoFailure } from "./demo-failure.ts";
import type { DemoRecord } from "./demo-record.ts";
import { runKillStep } from "./kill-step.ts";
import { ensureDemoModel, runModelStep } from "./model-step.ts";
import { readShippedSkill, runSkillStep } from "./skill-step.ts";

const EVIDENCE_FILE = "demo.txt";

/** Runs the whole host once, on real parts. It returns only if every step gave what it must give. */
export async function runDemo(context: CommandContext, bundleDirectory: string | undefined): Promise<void> {
  const { output } = context;
  output.heading("1  the host");
  const host = await examineHost(context, bundleDirectory);
  output.heading("2  a model, opened and watched");
  const model = await ensureDemoModel(context);
  ensurePrivateDirectory(context.state.evidence);
  const file = join(context.state.evidence, EVIDENCE_FILE);
  const evidence = Evidence.start({ file, command: "mesh demo", subjects: await subjectsOf(host, model) });
  try {
    await runSteps(context, host, model, {
      add: (name, value) => {
        evidence.record(name, value);
      },
    });
    evidence.flushExecuted();
  } catch (error) {
    evidence.flushFailed(error);
    throw error;
  }
  await showEvidence(context, file);
}

async function runSteps(context: CommandContext, host: HostRuntime, model: string, record: DemoRecord): Promise<void> {
  const { output } = context;
  await runModelStep(context, host, model, record);
  const skill = await readShippedSkill();
  output.heading("3  a skill, installed and installed again");
  await runSkillStep(context, skill, record);
  output.heading("4  an install that is killed, and its recovery");
  await runKillStep(context, skill, record);
}

/** What the run is about, by digest: the bundle's manifest, which names the digest of every library, and the model. */
async function subjectsOf({ bundle }: HostRuntime, model: string): Promise<readonly EvidenceSubject[]> {
  return [await digestSubject(join(bundle.directory, "manifest.json")), await digestSubject(model)];
}

async function showEvidence({ output }: CommandContext, file: string): Promise<void> {
  output.heading("5  the evidence");
  const text = await readFile(file, "utf8");
  const lines = text.trimEnd().split("\n");
  if (lines[0] !== "executed") throw demoFailure("evidence", lines[0] ?? "an empty file", "executed");
  output.step(
    { step: "evidence", path: file, lines },
    { label: "evidence", text: file },
    ...lines.map((line) => ({ label: "", text: line })),
  );
}
