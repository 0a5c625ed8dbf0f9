import type { Bench, RunOptions } from "../harness/bench.ts";
import { summarise } from "../harness/statistics.ts";
import type { DelayRatio } from "./delay-ratio.ts";
import { type ProgramName, runProgram } from "./program.ts";
import type { LoopBusy } from "./watch.ts";

function delayRatio(
  id: string,
  program: ProgramName,
  atMost: number,
  peer = "the idle event loop of the same process",
): Bench {
  return {
    id,
    unit: "times the peer's delay",
    goal: { atMost },
    async measure(options: RunOptions) {
      const { ratio, detail } = await runProgram<DelayRatio>(program, options);
      const { value, range } = ratio;
      return { value, range, peer, detail: { p999Ms: ratio.peer, peerP999Ms: ratio.ours, ...detail } };
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
    const longestOfAllMs = Math.max(...held);
    const longestWallMs = Math.max(...blocks.map((block) => block.longestWallMs));
    const longestCollectionMs = Math.max(...blocks.map((block) => block.longestCollectionMs));
    const turns = blocks.reduce((sum, block) => sum + block.turns, 0);
    // The longest of each block: what our code does, it does in every one. A virtual machine may stop in any of them, and no clock in
    // it can tell.
    const detail = { longestOfAllMs, longestWallMs, longestCollectionMs, turns, blocks: blocks.length };
    return { ...summarise(held), detail };
  },
};

/** Whether a host still answers while the native runtime opens a model or decodes. */
export const eventLoopBenches: readonly Bench[] = [
  delayRatio("eventloop.open", "open-program.ts", 2),
  delayRatio("eventloop.open.vsRead", "read-program.ts", 2, "the loop while a plain thread reads the same file"),
  delayRatio("eventloop.decode", "decode-program.ts", 4),
  blockedMs,
];
