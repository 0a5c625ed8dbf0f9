import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { countedLine, isSuccess, sum } from "../test/counts.ts";
import { runSteps } from "../test/run-steps.ts";
import { workspacePackages } from "../test/workspace.ts";
import { archiveSteps } from "./archive-steps.ts";
import { consumerSteps } from "./consumer-steps.ts";
import { nodeVersions, SUPPORTED_ENDS } from "./node-versions.ts";
import { packSteps } from "./pack-steps.ts";

/**
 * Checks what users get instead of what the workspace has: packs every public package, lints the archives, and uses each
 * from an empty folder with both ends of the supported Node lines. A file that `files` forgets, or a dependency that only the workspace provides, shows here.
 */
async function main(): Promise<number> {
  const write = (text: string): void => void process.stdout.write(text);
  const packages = workspacePackages().filter((one) => one.manifest.private !== true);
  const directory = mkdtempSync(path.join(tmpdir(), "mesh-packages-"));
  try {
    const archives = path.join(directory, "archives");
    mkdirSync(archives);
    const nodes = nodeVersions(path.join(directory, "nodes"), SUPPORTED_ENDS);
    const packed = await runSteps(packSteps(packages, archives), 1, write);
    const checked = await runSteps(archiveSteps(packages, archives), 2, write);
    const used = await runSteps(consumerSteps({ packages, archives, directory, nodes }), 1, write);
    const counts = sum([packed, checked, used]);
    write(`${countedLine(counts)}\n`);
    return isSuccess(counts) ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

process.exitCode = await main();
