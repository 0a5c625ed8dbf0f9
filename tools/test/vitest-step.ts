import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runChild } from "./child.ts";
import { ONE_FAILED, type Counts } from "./counts.ts";
import type { Step, StepResult } from "./step.ts";
import { readVitestReport } from "./vitest-report.ts";
import { ROOT } from "./workspace.ts";

/**
 * The tests of one package, run in its own folder exactly as somebody who works on that package alone runs them; the
 * counts come from vitest's report.
 *
 * @param command one that starts vitest and passes further arguments on to it
 */
export function vitestStep(name: string, folder: string, command: readonly [string, ...string[]]): Step {
  const [program, ...args] = command;
  return {
    name,
    run: async () => {
      const directory = mkdtempSync(path.join(tmpdir(), "mesh-report-"));
      const report = path.join(directory, "report.json");
      try {
        const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
        const { ended, output } = await runChild(program, [...args, ...reporters], path.join(ROOT, folder));
        return judge(report, ended, output);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
  };
}

function judge(report: string, ended: number | string, output: string): StepResult {
  const read = readVitestReport(report);
  switch (read.kind) {
    case "unreadable":
      return { counts: ONE_FAILED, output: `${output}\nnot counted: ${read.reason} (vitest ended with ${ended})` };
    case "counted": {
      const counts = withEnd(read.counts, ended);
      return { counts, output: [output, ...read.failures.map((one) => `FAILED ${one}`)].join("\n") };
    }
  }
}

/** A run in which every test passed and that still ended badly (an unhandled error, a crash at exit) has failed. */
export function withEnd(counts: Counts, ended: number | string): Counts {
  return ended !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}
