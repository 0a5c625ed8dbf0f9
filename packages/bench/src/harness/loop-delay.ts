import { monitorEventLoopDelay } from "node:perf_hooks";

/** How often the delay of the event loop is taken, in milliseconds: the finest that Node offers. */
const RESOLUTION_MS = 1;

/** What the event loop's delay was while something went on. A delay includes the resolution itself: an idle loop shows 1 ms. */
export interface LoopDelay {
  /** The delay below which this percentage of the samples lies, in milliseconds. */
  readonly percentileMs: number;
  readonly maxMs: number;
  readonly samples: number;
}

/** Takes the delay of the event loop during a body. */
export async function loopDelayDuring(percentile: number, body: () => Promise<unknown>): Promise<LoopDelay> {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  await body();
  histogram.disable();
  return {
    percentileMs: histogram.percentile(percentile) / 1e6,
    maxMs: histogram.max / 1e6,
    samples: histogram.count,
  };
}
