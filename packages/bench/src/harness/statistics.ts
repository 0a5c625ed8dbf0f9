/** The value below which this share of the samples lies, interpolated between neighbours. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** Median and 10 to 90 % range: what is reported of any series of blocks. */
export interface Summary {
  readonly value: number;
  readonly range: readonly [low: number, high: number];
}

/** Summarises a series of samples. */
export function summarise(samples: readonly number[]): Summary {
  return { value: quantile(samples, 0.5), range: [quantile(samples, 0.1), quantile(samples, 0.9)] };
}

/** What a value has to be. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number } | { readonly exactly: number };

/** Whether the goal is met; null when the goal lies inside the range, so that another run might say otherwise. */
export function holds({ value, range: [low, high] }: Summary, goal: Goal): boolean | null {
  if ("exactly" in goal) return value === goal.exactly;
  const bound = "atLeast" in goal ? goal.atLeast : goal.atMost;
  if (low < bound && bound < high) return null;
  return "atLeast" in goal ? value >= bound : value <= bound;
}
