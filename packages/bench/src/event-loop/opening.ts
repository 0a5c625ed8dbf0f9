import { join } from "node:path";
import { writeSampleModel } from "@mesh/llama-runtime/sample-model";
import { observeModelOpen } from "@mesh/runtime-events";
import { loopDelayDuring } from "../harness/loop-delay.ts";
import { loadRealRuntime } from "../harness/real-runtime.ts";

const BYTES = 2_700_000_000;
const BYTES_SMOKE = 60_000_000;
/** Of the delays that a block sees, the one below which so many percent lie. */
export const PERCENTILE = 99.9;

/** Opens a large model again and again, as a host does that follows the events of the open. */
export interface Opening {
  /** The model. */
  readonly path: string;
  /** How long the last open took. */
  readonly openMs: number;
  /** Facts for the result: of the last open, and over all of them the longest delay. */
  readonly detail: Readonly<Record<string, number>>;
  /** Opens and closes it once; the delay of the event loop meanwhile, in milliseconds. */
  readonly open: () => Promise<number>;
}

/** Writes a sparse model of 2.7 GB that is read and not mapped, and opens it once to warm up. */
export async function prepareOpening(folder: string, smoke: boolean): Promise<Opening> {
  const runtime = await loadRealRuntime();
  const path = join(folder, "sparse.gguf");
  const { bytes } = await writeSampleModel({ path, bytes: smoke ? BYTES_SMOKE : BYTES, sparse: true });
  let openMs = 0;
  let samples = 0;
  let longestMs = 0;
  const open = async (): Promise<number> => {
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
  };
  await open();
  longestMs = 0;
  return {
    path,
    open,
    get openMs() {
      return openMs;
    },
    get detail() {
      return { bytes, openMs, samples, longestMs };
    },
  };
}
