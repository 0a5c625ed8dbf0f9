import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sourceTree } from "../../src/fault-runtime/sources.ts";

const run = promisify(execFile);

/** What the probe said: its lines, and how it ended. */
export interface ProbeReport {
  readonly lines: string[];
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Compiles the probe, a small C host that looks at a runtime without the addon. */
export async function buildProbe(): Promise<string> {
  const tree = sourceTree();
  const probe = join(await mkdtemp(join(tmpdir(), "fault-probe-")), "probe");
  await run("cc", ["-D_GNU_SOURCE", `-I${tree.abi}`, "-o", probe, join(tree.source, "..", "probe", "probe.c"), "-ldl"]);
  return probe;
}

/** Runs the probe in a process of its own, which the runtime may well end. */
export function runProbe(probe: string, library: string, modelPath?: string): Promise<ProbeReport> {
  const parameters = modelPath === undefined ? [library] : [library, modelPath];
  return new Promise((resolve) => {
    const child = execFile(probe, parameters, { encoding: "utf8" }, (_error, stdout) => {
      resolve({
        lines: stdout.split("\n").filter((line) => line !== ""),
        exitCode: child.exitCode,
        signal: child.signalCode,
      });
    });
  });
}
