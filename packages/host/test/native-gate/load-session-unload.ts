import assert from "node:assert/strict";

import type { Runtime } from "@mesh/ffi/runtime";
import { familyTally, type RuntimeEvent } from "@mesh/runtime-events";
import type { ReporterDrain } from "./reporter-drain.ts";

const PROMPT = "The capital of France is";
const DECODED_STEPS = 4;

/** What step (d) works with. */
export interface LoadSessionUnload {
  readonly runtime: Runtime;
  readonly modelPath: string;
  readonly drain: ReporterDrain;
  readonly record: (name: string, value: string) => void;
}

/**
 * Step (d): a plain open with a selected device, a session, an unload, watched through the process-wide reporter. Gives the
 * number of structured events of the open.
 */
export async function runLoadSessionUnload({ runtime, modelPath, drain, record }: LoadSessionUnload): Promise<number> {
  const device = await selectedDevice(runtime);
  const model = await runtime.openModel({ path: modelPath, config: { device } });
  const opened = drain.take();
  record("model-open", `single-part real model-open succeeded selected_backend_device=${device}`);
  const session = await model.createSession();
  const tokens = await model.tokenize(PROMPT);
  assert(tokens.length >= 2, `the prompt must have at least 2 tokens, it has ${tokens.length}`);
  await session.prefill(tokens.subarray(0, -1));
  let token = tokens.at(-1) ?? 0;
  for (let step = 0; step < DECODED_STEPS; step += 1) token = await session.decode(token);
  await session.reset();
  assert.equal(session.position, 0, "a reset session must be at position 0");
  record("session", `prompt_tokens=${tokens.length} decoded_steps=${DECODED_STEPS} reset=ok`);
  await session.close();
  const used = drain.take();
  await model.close();
  const unloaded = drain.take();
  record("unload-callbacks", String(countOf(unloaded, "unload_events")));
  record("session-kv-callbacks", String(countOf(used, "kv_events")));
  return structured(opened);
}

/** The first device that is not the processor, by its name; the processor where there is no other. */
async function selectedDevice(runtime: Runtime): Promise<string> {
  const devices = await runtime.listDevices();
  return devices.find(({ name }) => !/^cpu/iu.test(name))?.name ?? "CPU";
}

function countOf(events: readonly RuntimeEvent[], family: string): number {
  return events.filter((event) => event.kind !== "unknown" && event.family === family).length;
}

function structured(events: readonly RuntimeEvent[]): number {
  const tally = familyTally();
  events.forEach((event) => {
    tally.add(event);
  });
  return tally.total();
}
