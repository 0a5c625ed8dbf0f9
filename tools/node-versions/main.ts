import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { nodeVersions } from "../packages/node-versions.ts";
import { countedLine, isSuccess } from "../test/counts.ts";
import { runSteps } from "../test/run-steps.ts";
import { vitestStep } from "../test/vitest-step.ts";
import { ROOT } from "../test/workspace.ts";

/** The packages whose native code meets an environment that begins and ends: what happens then is Node's to decide. */
const PACKAGES = ["packages/ffi", "packages/runtime-events"];

/** Suites at once: a suite mostly waits for the children that it starts. */
const SIDE_BY_SIDE = 2;

/**
 * The suites of the packages that stand on the addon, under the other supported lines of Node. The children that a test starts
 * run on the Node that runs the test.
 */
async function main(): Promise<number> {
  const directory = mkdtempSync(path.join(tmpdir(), "mesh-nodes-"));
  try {
    // The Node that runs this is the one of npm test, which has run them all.
    const others = nodeVersions(directory, ["22.22.2", "26.10.0"]).filter(
      ({ version }) => version !== process.versions.node,
    );
    const steps = others.flatMap(({ version, executable }) =>
      PACKAGES.map((folder) => {
        const vitest = path.join(ROOT, folder, "node_modules/vitest/vitest.mjs");
        return vitestStep(`${folder} on Node ${version}`, folder, [executable, vitest, "run"]);
      }),
    );
    const counts = await runSteps(steps, SIDE_BY_SIDE, (text) => process.stdout.write(text));
    process.stdout.write(`${countedLine(counts)}\n`);
    return isSuccess(counts) ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

process.exitCode = await main();
