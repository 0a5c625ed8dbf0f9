import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { countedLine, isSuccess } from "../test/counts.ts";
import { runSteps } from "../test/run-steps.ts";
import { cloneSteps } from "./clone-steps.ts";

/**
 * What the README promises of its two commands, on fresh clones of the current commit: the set-up survives odd folders and
 * umasks, a second one at the same time, being killed, having no network, and the oldest Node.
 */
async function main(): Promise<number> {
  const directory = mkdtempSync(path.join(tmpdir(), "mesh clones-"));
  try {
    const counts = await runSteps(cloneSteps(directory), 1, (text) => void process.stdout.write(text));
    process.stdout.write(`${countedLine(counts)}\n`);
    return isSuccess(counts) ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

process.exitCode = await main();
