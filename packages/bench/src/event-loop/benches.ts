import type { Bench, RunOptions } from "../harness/bench.ts";
import { summarise } from "../harness/statistics.ts";
import type { DelayRatio } from "./delay-ratio.ts";
import { runProgram } from "./program.ts";
import type { LoopBusy } from "./watch.ts";

function delayRatio(id: string, program: string, atMost: number): Bench {
  return {
    id,
    unit: "times the idle loop",
    goal: { atMost },
    async measure(options: RunOptions) {
      const { ratio, detail } = await runProgram<DelayRatio>(program, options);
      const { value, range } = ratio;
      const peer = "the idle event loop of the same process";
      return { value, range, peer, detail: { p999Ms: ratio.peer, idleP999Ms: ratio.ours, ...detail } };
    },
  };
}

const blockedMs: Bench = {
  id: "decode.blockedMs",
  unit: "ms",
  goal: { atMost: 2 },
  async measure(options) {
    const blocks = await runProgram<LoopBusy[]>("held-program.ts", options);
    const held = blocks.map(({ longestHeldMs }) => longestHeldMs);
    const { value: median, range } = summarise(held);
    const value = Math.max(...held);
    const longestWallMs = Math.max(...blocks.map((block) => block.longestWallMs));
    const turns = blocks.reduce((sum, block) => sum + block.turns, 0);
    // The longest of all blocks is what counts; the range is that of the blocks' own longest.
    return { value, range, detail: { medianOfTheBlocks: median, longestWallMs, turns, blocks: blocks.length } };
  },
};

/** Whether a host still answers while the native runtime opens a model or decodes. */
export const eventLoopBenches: readonly Bench[] = [
  delayRatio("eventloop.open", "open-program.ts", 2),
  delayRatio("eventloop.decode", "decode-program.ts", 4),
  blockedMs,
];
