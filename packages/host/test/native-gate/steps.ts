import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { FEATURE_BITS, openRuntime, type Runtime, type RuntimeReporter } from "@mesh/ffi/runtime";
import { readBundle } from "@mesh/llama-runtime";
import { familyTally, judgeFamilyCoverage, type ReporterFamily, type RuntimeEvent } from "@mesh/runtime-events";
import { checkFailedOpens, checkSuccessfulOpens } from "./checked-opens.ts";
import { FALLBACK_TESTS } from "./fallback-names.ts";
import { runLoadSessionUnload } from "./load-session-unload.ts";
import { drainReporter } from "./reporter-drain.ts";

/** What the steps of one gated run work with. */
export interface GatedSteps {
  readonly bundleDirectory: string;
  readonly modelPath: string;
  /** Notes what a step established, once it has. */
  readonly record: (name: string, value: string) => void;
  readonly blindTo?: ReporterFamily;
}

let installed: RuntimeReporter | undefined;

/** A failing step may leave the process-wide reporter installed. */
export async function releaseReporter(): Promise<void> {
  await installed?.clear();
  installed = undefined;
}

/** The steps (a) to (e) of the gate, in the order in which the evidence lists them (spec 6). Each throws when it fails. */
export async function gatedSteps(run: GatedSteps): Promise<void> {
  const { record } = run;
  const runtime = await loadRuntime(run);
  installed = await runtime.installReporter({ owner: "native gate" });
  record("reporter-install", "true");
  const tally = familyTally();
  const onEvent = (event: RuntimeEvent): void => {
    if (event.kind === "unknown" || event.family !== run.blindTo) tally.add(event);
  };
  const drain = drainReporter(installed, onEvent);
  // The ring belongs to the process and outlives any one run: what somebody left there is not this run's.
  drain.discard();
  const folder = await mkdtemp(join(tmpdir(), "mesh-native-gate-"));
  try {
    const structured = await runLoadSessionUnload({ runtime, modelPath: run.modelPath, drain, record });
    assert(structured > 0, "a successful open must send at least one structured event; progress alone is not enough");
    record("structured-production-callbacks", String(structured));
    const opens = { runtime, modelPath: run.modelPath, folder, onEvent, record };
    await checkSuccessfulOpens(opens);
    await checkFailedOpens(opens);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  drain.take();
  const { families, missing } = judgeFamilyCoverage(runtime.capabilities, tally.counts());
  for (const { family, confirmed, count, state } of families) {
    const verdict = state.toUpperCase().replace("-", "_");
    record("family-coverage", `${family} confirmed=${confirmed} count=${count} ${verdict}`);
  }
  record("global-reporter", `dropped=${drain.dropped()} rejected=${drain.rejected()}`);
  await releaseReporter();
  record("reporter-clear", "returned");
  // Asserted last, after the reporter was cleared, so that every line above exists also where this fails.
  assert.deepEqual(
    missing,
    [],
    `confirmed families never observed during a real load, session and unload: ${missing.join(", ")}`,
  );
}

async function loadRuntime({ bundleDirectory, record }: GatedSteps): Promise<Runtime> {
  const { libraries } = await readBundle(bundleDirectory);
  const runtime = await openRuntime({ libraries: [...libraries] });
  const { confirmed, healthMessages, confirmedFamilies } = runtime.capabilities;
  record("exact-abi-admission", "native runtime loaded (loader enforces exact major.minor.patch)");
  record("capability-probe", `confirmed=0x${confirmed.toString(16)} health_messages=${healthMessages.length}`);
  assert(confirmedFamilies.includes("runtime_events"), "the probe must confirm runtime_events on this runtime");
  const bit = (1n << BigInt(FEATURE_BITS.RUNTIME_EVENTS)).toString(16);
  record("runtime-events-feature-bit", `confirmed (FEATURE_RUNTIME_EVENTS=0x${bit})`);
  record(
    "mixed-version-fallback",
    `unit-covered by ${FALLBACK_TESTS.map((name) => `"${name}"`).join(" and ")}; ` +
      "not reachable in this process because the loaded runtime advertises FEATURE_RUNTIME_EVENTS",
  );
  return runtime;
}
