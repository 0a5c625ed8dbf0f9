/**
 * Decodes with the default threads, in turns with doing nothing, and prints how the delay of the event loop compares. Arguments: a
 * folder to write in, `--smoke`.
 */
import { setTimeout as delay } from "node:timers/promises";
import { ratioOf } from "../harness/blocks.ts";
import { loopDelayDuring } from "../harness/loop-delay.ts";
import { openDecoding } from "./decoding.ts";
import type { DelayRatio } from "./delay-ratio.ts";
import { programArguments } from "./program.ts";

const PERCENTILE = 99.9;
const BLOCK_MS = 4_000;
const BLOCK_MS_SMOKE = 200;

const { folder, smoke } = programArguments();
const blockMs = smoke ? BLOCK_MS_SMOKE : BLOCK_MS;
let tokens = 0;
let longestMs = 0;
{
  await using decoding = await openDecoding(folder);
  const work = async (): Promise<number> => {
    const { percentileMs, maxMs } = await loopDelayDuring(PERCENTILE, async () => {
      tokens = await decoding.run(blockMs);
    });
    longestMs = Math.max(longestMs, maxMs);
    return percentileMs;
  };
  const idle = async (): Promise<number> => (await loopDelayDuring(PERCENTILE, () => delay(blockMs))).percentileMs;
  const ratio = await ratioOf(idle, work, { smoke });
  const printed: DelayRatio = { ratio, detail: { blockMs, tokensInABlock: tokens, longestMs } };
  console.log(JSON.stringify(printed));
}
