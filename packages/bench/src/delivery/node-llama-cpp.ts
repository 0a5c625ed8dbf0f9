import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Bench } from "../harness/bench.ts";
import { BenchError } from "../harness/error.ts";
import { inFolder } from "../harness/folder.ts";

const run = promisify(execFile);

const LOADS = 200;
const LOADS_SMOKE = 5;

interface Printed {
  /** Why the package could not load its binary; the rest is missing then. */
  readonly blocked?: string;
  readonly whole: number;
  readonly none: number;
  readonly delivered: number;
}

/** The same kind of load through the package that people use today. For information: it has no goal. */
export const nodeLlamaCppDeliveryBench: Bench = {
  id: "events.delivery.nodeLlamaCpp",
  unit: "share of loads seen whole",
  measure: ({ smoke }) =>
    inFolder(async (folder) => {
      const loads = smoke ? LOADS_SMOKE : LOADS;
      // In a process of its own: its library must not meet ours.
      const program = fileURLToPath(new URL("node-llama-cpp-loads.ts", import.meta.url));
      const parameters = ["--disable-warning=ExperimentalWarning", program, folder, String(loads)];
      const { stdout } = await run(process.execPath, parameters, { env: { ...process.env, GGML_NO_BACKTRACE: "1" } });
      // Printed by the program above, in this commit, as its last line.
      const printed = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Printed;
      if (printed.blocked !== undefined) {
        throw new BenchError({
          code: "BLOCKED",
          message: `the prebuilt binary of node-llama-cpp (${printed.blocked})`,
        });
      }
      const { whole, none, delivered } = printed;
      const value = whole / loads;
      const detail = { loads, loadsWithoutAnyProgress: none, progressCalls: delivered };
      return { value, range: [value, value], peer: "node-llama-cpp 3.21.1, onLoadProgress", detail };
    }),
};
