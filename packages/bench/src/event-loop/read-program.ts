/**
 * Opens a sparse model of 2.7 GB, read and not mapped, in turns with a plain thread that reads the same file into memory and does nothing
 * else, and prints how the delay of the event loop compares. On a machine that is itself virtual, growing memory alone can stop every
 * thread of a process: this tells such stops from those of the open. Arguments: a folder to write in, `--smoke`.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { ratioOf } from "../harness/blocks.ts";
import { loopDelayDuring } from "../harness/loop-delay.ts";
import type { DelayRatio } from "./delay-ratio.ts";
import { PERCENTILE, prepareOpening } from "./opening.ts";
import { programArguments } from "./program.ts";

const { folder, smoke } = programArguments();
const opening = await prepareOpening(folder, smoke);

async function reading(): Promise<number> {
  const { percentileMs } = await loopDelayDuring(PERCENTILE, () =>
    once(new Worker(new URL("read-thread.ts", import.meta.url), { workerData: { path: opening.path } }), "exit"),
  );
  return percentileMs;
}

const ratio = await ratioOf(reading, opening.open, { smoke });
const printed: DelayRatio = { ratio, detail: opening.detail };
console.log(JSON.stringify(printed));
