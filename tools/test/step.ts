import { ONE_FAILED, ONE_PASSED, type Counts } from "./counts.ts";
import { runChild } from "./child.ts";

/** One thing the test command executes. */
export interface Step {
  readonly name: string;
  readonly run: () => Promise<StepResult>;
}

export interface StepResult {
  readonly counts: Counts;
  /** Shown when the step failed. */
  readonly output: string;
}

/** A check that is one command and counts as one. */
export function commandStep(name: string, command: string, args: readonly string[]): Step {
  return {
    name,
    run: async () => {
      const { ended, output } = await runChild(command, args);
      return ended === 0
        ? { counts: ONE_PASSED, output }
        : { counts: ONE_FAILED, output: `${output}\n(${command} ended with ${ended})` };
    },
  };
}

/** A check that finds complaints, one a line, and counts as one. */
export function complaintStep(name: string, find: () => readonly string[]): Step {
  return {
    name,
    run: () => {
      const complaints = find();
      return Promise.resolve({
        counts: complaints.length === 0 ? ONE_PASSED : ONE_FAILED,
        output: complaints.join("\n"),
      });
    },
  };
}
