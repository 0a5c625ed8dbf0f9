/**
 * Opens a sparse model of 2.7 GB, read and not mapped, in turns with doing nothing for as long, and prints how the delay of the event
 * loop compares. Arguments: a folder to write in, `--smoke`.
 */
import { setTimeout as delay } from "node:timers/promises";
import { ratioOf } from "../harness/blocks.ts";
import { loopDelayDuring } from "../harness/loop-delay.ts";
import type { DelayRatio } from "./delay-ratio.ts";
import { PERCENTILE, prepareOpening } from "./opening.ts";
import { programArguments } from "./program.ts";

const { folder, smoke } = programArguments();
const opening = await prepareOpening(folder, smoke);
const idle = async (): Promise<number> => (await loopDelayDuring(PERCENTILE, () => delay(opening.openMs))).percentileMs;
const ratio = await ratioOf(idle, opening.open, { smoke });
const printed: DelayRatio = { ratio, detail: opening.detail };
console.log(JSON.stringify(printed));
