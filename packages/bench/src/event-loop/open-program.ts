/**
 * Opens a sparse model of 2.7 GB, read and not mapped, in turns with doing nothing for as long, and prints how the delay of the event
 * loop compares. Arguments: a folder to write in, `--smoke`.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { writeSampleModel } from "@mesh/llama-runtime/sample-model";
import { observeModelOpen } from "@mesh/runtime-events";
import { ratioOf } from "../harness/blocks.ts";
import { loopDelayDuring } from "../harness/loop-delay.ts";
import { loadRealRuntime } from "../harness/real-runtime.ts";
import type { DelayRatio } from "./delay-ratio.ts";
import { programArguments } from "./program.ts";

const BYTES = 2_700_000_000;
const BYTES_SMOKE = 60_000_000;
const PERCENTILE = 99.9;

const { folder, smoke } = programArguments();
const runtime = await loadRealRuntime();
const path = join(folder, "sparse.gguf");
const { bytes } = await writeSampleModel({ path, bytes: smoke ? BYTES_SMOKE : BYTES, sparse: true });

let openMs = 0;
let samples = 0;
let longestMs = 0;

async function opening(): Promise<number> {
  const { percentileMs, ...seen } = await loopDelayDuring(PERCENTILE, async () => {
    const start = performance.now();
    const options = { path, config: { useMmap: false, contextSize: 64 } };
    const { result } = await observeModelOpen(runtime, options, { onEvent: () => undefined });
    if (result.kind !== "opened") throw result.error;
    openMs = performance.now() - start;
    await result.model.close();
  });
  samples = seen.samples;
  longestMs = Math.max(longestMs, seen.maxMs);
  return percentileMs;
}

// The first open is the warm-up of both sides: it says how long an idle block has to be.
await opening();
longestMs = 0;
const idle = async (): Promise<number> => (await loopDelayDuring(PERCENTILE, () => delay(openMs))).percentileMs;
const ratio = await ratioOf(idle, opening, { smoke });
const printed: DelayRatio = { ratio, detail: { bytes, openMs, samples, longestMs } };
console.log(JSON.stringify(printed));
