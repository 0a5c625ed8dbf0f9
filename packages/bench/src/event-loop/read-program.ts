/**
 * Opens a sparse model of 2.7 GB, read and not mapped, in turns with a plain thread that fills as much memory in as much time and does
 * nothing else, and prints how the delay of the event loop compares. On a machine that is itself virtual, growing memory alone can stop
 * every thread of a process: this tells such stops from those of the open. Arguments: a folder to write in, `--smoke`.
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

async function filling(): Promise<number> {
  const workerData = { bytes: opening.bytes, milliseconds: opening.openMs };
  const { percentileMs } = await loopDelayDuring(PERCENTILE, () =>
    once(new Worker(new URL("fill-thread.ts", import.meta.url), { workerData }), "exit"),
  );
  return percentileMs;
}

const ratio = await ratioOf(filling, opening.open, { smoke });
const printed: DelayRatio = { ratio, detail: opening.detail };
console.log(JSON.stringify(printed));
