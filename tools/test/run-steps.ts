import { ONE_FAILED, countedLine, sum, type Counts } from "./counts.ts";
import type { Step, StepResult } from "./step.ts";

/**
 * Runs the steps, `concurrency` at a time, says when each starts and how it ended, and shows what a failed one wrote.
 *
 * @returns what all of them counted
 */
export async function runSteps(
  steps: readonly Step[],
  concurrency: number,
  write: (text: string) => void,
): Promise<Counts> {
  const waiting = [...steps];
  const counted: Counts[] = [];
  const worker = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      write(`· ${step.name}\n`);
      const started = performance.now();
      const { counts, output } = await settle(step);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      if (counts.failed > 0) write(`${output.trimEnd()}\n`);
      write(`${counts.failed > 0 ? "✗" : "✓"} ${step.name}: ${countedLine(counts)} (${seconds} s)\n`);
      counted.push(counts);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return sum(counted);
}

/** A step that throws has failed; it does not take the others with it. */
async function settle(step: Step): Promise<StepResult> {
  try {
    return await step.run();
  } catch (error) {
    return { counts: ONE_FAILED, output: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
