import { join } from "node:path";

import { digestSubject, type GateOutcome, nativeGate } from "@mesh/evidence";
import { locateAddon } from "@mesh/ffi";
import type { ReporterFamily } from "@mesh/runtime-events";
import { gatedSteps, releaseReporter } from "./steps.ts";

/** The environment variables of the gate: upstream's names, so that one CI wrapper serves both. */
export const GATE_VARIABLE = "MESH_LLM_RUNTIME_EVENTS_NATIVE_TEST";
export const BUNDLE_VARIABLE = "MESH_LLM_NATIVE_RUNTIME_BUNDLE_DIR";
export const MODEL_VARIABLE = "MESH_LLM_RUNTIME_EVENTS_MODEL";
export const EVIDENCE_VARIABLE = "MESH_LLM_RUNTIME_EVENTS_EVIDENCE_FILE";

/** What a test may do to one run of the gate. */
export interface GateOptions {
  /** Makes the tally blind to one family: a sound runtime cannot be made to keep one back. */
  readonly blindTo?: ReporterFamily;
}

/**
 * The native gate (spec 6): runs against a real runtime and a real model when it is asked to, and leaves evidence that says
 * so; says that it was not asked otherwise.
 */
export function runNativeGate(options: GateOptions = {}): Promise<GateOutcome> {
  return nativeGate(
    {
      gate: GATE_VARIABLE,
      evidenceFile: EVIDENCE_VARIABLE,
      command: "native gate",
      requires: [
        { kind: "probe", purpose: "load a native runtime", missing: missingAddon },
        { kind: "variable", variable: BUNDLE_VARIABLE, purpose: "point at a dynamic native runtime" },
        { kind: "variable", variable: MODEL_VARIABLE, purpose: "name a readable model" },
      ],
      subjects: async (inputs) => [
        await digestSubject(join(inputs[BUNDLE_VARIABLE] ?? "", "manifest.json")),
        await digestSubject(inputs[MODEL_VARIABLE] ?? ""),
      ],
      release: releaseReporter,
    },
    (evidence, inputs) =>
      gatedSteps({
        bundleDirectory: inputs[BUNDLE_VARIABLE] ?? "",
        modelPath: inputs[MODEL_VARIABLE] ?? "",
        record: (name, value) => {
          evidence.record(name, value);
        },
        ...options,
      }),
  );
}

function missingAddon(): string | undefined {
  try {
    locateAddon();
    return undefined;
  } catch {
    return `no prebuilt addon for ${process.platform}-${process.arch}`;
  }
}
