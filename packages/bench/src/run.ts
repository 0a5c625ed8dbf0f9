import type { Bench, BenchResult, RunOptions } from "./harness/bench.ts";
import type { BenchEnvironment } from "./harness/environment.ts";
import { BenchError } from "./harness/error.ts";
import { type Results, toBlockedResult, toResult } from "./harness/report.ts";

/** Which benches to run, and how. */
export interface BenchSelection extends RunOptions {
  /** Only benches whose id begins with this; all unless given. */
  readonly only?: string;
}

/**
 * Runs the selected benches one after another. One that this machine cannot run is reported as blocked.
 *
 * @throws BenchError `NO_SUCH_BENCH`
 */
export async function runBenches(
  benches: readonly Bench[],
  { smoke, only = "" }: BenchSelection,
  environment: BenchEnvironment,
  onStart: (bench: Bench) => void,
): Promise<Results> {
  const selected = benches.filter(({ id }) => id.startsWith(only));
  if (selected.length === 0) {
    const known = benches.map(({ id }) => id).join(", ");
    throw new BenchError({ code: "NO_SUCH_BENCH", message: `no bench begins with "${only}"; there are ${known}.` });
  }
  const results: Results = {};
  for (const bench of selected) {
    onStart(bench);
    results[bench.id] = await runOne(bench, { smoke }, environment);
  }
  return results;
}

async function runOne(bench: Bench, options: RunOptions, environment: BenchEnvironment): Promise<BenchResult> {
  try {
    return toResult(bench, await bench.measure(options), environment);
  } catch (error) {
    if (error instanceof BenchError && error.code === "BLOCKED") {
      return toBlockedResult(bench, error.message, environment);
    }
    throw error;
  }
}
