import type { Ratio } from "../harness/blocks.ts";

/** What a program prints: the delay during the work to the delay of the idle loop, the idle loop being `ours` of the ratio. */
export interface DelayRatio {
  readonly ratio: Ratio;
  readonly detail: Readonly<Record<string, number>>;
}
