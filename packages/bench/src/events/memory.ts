import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Bench, Measurement, RunOptions } from "../harness/bench.ts";
import { summarise } from "../harness/statistics.ts";

const run = promisify(execFile);

const CHILDREN = 5;
const EVENTS = 10_000_000;
const EVENTS_SMOKE = 200_000;

/** Resident growth after the first tenth of the events while the reader stands still, in MiB, in a process of its own. */
async function stalledGrowthMiB(events: number): Promise<number> {
  const program = fileURLToPath(new URL("stalled-reader.ts", import.meta.url));
  const { stdout } = await run(process.execPath, ["--disable-warning=ExperimentalWarning", program, String(events)]);
  return Number(stdout);
}

/** A stalled reader costs no memory: the ring is bounded and what does not fit is dropped and counted. */
export const memoryBenches: readonly Bench[] = [
  {
    id: "events.memory.stalled",
    unit: "MiB",
    goal: { atMost: 2 },
    async measure({ smoke }: RunOptions): Promise<Measurement> {
      const samples: number[] = [];
      for (let child = 0; child < (smoke ? 1 : CHILDREN); child += 1) {
        samples.push(await stalledGrowthMiB(smoke ? EVENTS_SMOKE : EVENTS));
      }
      return { ...summarise(samples), detail: { events: smoke ? EVENTS_SMOKE : EVENTS, children: samples.length } };
    },
  },
];
