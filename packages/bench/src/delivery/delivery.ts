import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Bench, Measurement, RunOptions } from "../harness/bench.ts";
import { inFolder } from "../harness/folder.ts";

const run = promisify(execFile);

const OPENS = 200;
const OPENS_SMOKE = 5;

/** The share of fast real loads whose every event arrives: in its place, without a gap, the first and the last included. */
export const deliveryBenches: readonly Bench[] = [
  {
    id: "events.delivery",
    unit: "share of opens seen whole",
    goal: { exactly: 1 },
    measure({ smoke }: RunOptions): Promise<Measurement> {
      const opens = smoke ? OPENS_SMOKE : OPENS;
      return inFolder(async (directory) => {
        // In a process of its own: a process can load one native runtime.
        const program = fileURLToPath(new URL("real-loads.ts", import.meta.url));
        const parameters = ["--disable-warning=ExperimentalWarning", program, directory, String(opens)];
        const { stdout } = await run(process.execPath, parameters, { env: { ...process.env, GGML_NO_BACKTRACE: "1" } });
        // Printed by the program above, in this commit.
        const { whole, delivered } = JSON.parse(stdout) as { whole: number; delivered: number };
        return { value: whole / opens, range: [whole / opens, whole / opens], detail: { opens, events: delivered } };
      });
    },
  },
];
