import type { RunOptions } from "./bench.ts";
import { quantile, type Summary, summarise } from "./statistics.ts";

/** Blocks that each side of a ratio runs, after one that only warms up. */
export const BLOCKS = 16;

/** One side of a ratio: runs one block and gives what it cost, in a unit that both sides share. */
export type Side = () => Promise<number>;

/** The ratio of two sides, and the middle of each. */
export interface Ratio extends Summary {
  readonly ours: number;
  readonly peer: number;
}

/**
 * Runs the two sides in alternating blocks, so that whatever the machine does meanwhile happens to both, and reports the ratio peer
 * to ours of each pair of neighbours: how many times cheaper ours is. The side that begins alternates too.
 */
export async function ratioOf(ours: Side, peer: Side, { smoke }: RunOptions): Promise<Ratio> {
  const blocks = smoke ? 1 : BLOCKS;
  if (!smoke) {
    await ours();
    await peer();
  }
  const costs: { ours: number; peer: number }[] = [];
  for (let block = 0; block < blocks; block += 1) {
    if (block % 2 === 0) {
      const oursCost = await ours();
      costs.push({ ours: oursCost, peer: await peer() });
    } else {
      const peerCost = await peer();
      costs.push({ ours: await ours(), peer: peerCost });
    }
  }
  return {
    ...summarise(costs.map((cost) => cost.peer / cost.ours)),
    ours: quantile(
      costs.map((cost) => cost.ours),
      0.5,
    ),
    peer: quantile(
      costs.map((cost) => cost.peer),
      0.5,
    ),
  };
}

/** Runs one side alone, in blocks after a warm-up, and summarises what it cost. */
export async function series(side: Side, { smoke }: RunOptions): Promise<Summary> {
  if (!smoke) await side();
  const samples: number[] = [];
  for (let block = 0; block < (smoke ? 1 : BLOCKS); block += 1) samples.push(await side());
  return summarise(samples);
}
