import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import type { Bench } from "../harness/bench.ts";
import { inFolder } from "../harness/folder.ts";
import { quantile, summarise } from "../harness/statistics.ts";
import { openInstallParts } from "./parts.ts";

const CHILD = fileURLToPath(new URL("./scaling-child.ts", import.meta.url));
const PROCESSES = 8;
const INSTALLS = 200;
const INSTALLS_SMOKE = 3;
/** Pairs of a run with one process and a run with eight. */
const ROUNDS = 5;
const SLOWEST_MAX = 20;

interface Worker {
  readonly ready: Promise<void>;
  start(): void;
  readonly times: Promise<readonly number[]>;
}

function startWorker(folder: string, name: string, installs: number): Worker {
  const child = spawn(process.execPath, [CHILD, folder, name, String(installs)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ready = lines.next().then(() => undefined);
  const times = ready.then(async () => parseTimes(await lines.next()));
  return { ready, start: () => child.stdin.write("go\n"), times };
}

/** The child is ours, so its line has the shape that it prints; a child that died printed none. */
function parseTimes(line: IteratorResult<string, unknown>): readonly number[] {
  if (line.done === true) throw new Error("a process of the scaling bench died");
  return JSON.parse(line.value) as number[];
}

interface Run {
  readonly perSecond: number;
  readonly times: readonly number[];
}

/** All processes start at once; the rate counts from there to the last settlement. */
async function runProcesses(processes: number, installs: number): Promise<Run> {
  return inFolder(async (folder) => {
    const workers = Array.from({ length: processes }, (_, index) => startWorker(folder, `worker-${index}`, installs));
    await Promise.all(workers.map(({ ready }) => ready));
    const start = performance.now();
    for (const worker of workers) worker.start();
    const times = (await Promise.all(workers.map((worker) => worker.times))).flat();
    const perSecond = (processes * installs * 1000) / (performance.now() - start);
    await requireAll(folder, processes * installs);
    return { perSecond, times };
  });
}

/** None lost, none doubled: as many settled installs and as many objects as were asked for, and a chain that verifies. */
async function requireAll(folder: string, expected: number): Promise<void> {
  await using parts = await openInstallParts(folder);
  const names = new Set<string>();
  let installed = 0;
  for await (const { stream } of parts.engine.listInstalled()) {
    installed += 1;
    names.add(stream.sessionId);
  }
  let objects = 0;
  for await (const finding of parts.store.verify()) {
    if (finding.state !== "exact") throw new Error(`the object ${finding.digest} is in conflict`);
    objects += 1;
  }
  const { settlements } = await parts.journal.verify();
  const found = { installed, names: names.size, objects, settlements };
  if (Object.values(found).some((count) => count !== expected)) {
    throw new Error(`expected ${expected} of each, found ${JSON.stringify(found)}`);
  }
}

/** Eight processes into one journal against one: installs a second, and whether any single install had to wait for long. */
export const scalingBench: Bench = {
  id: "install.8proc.scaling",
  unit: "of one process's rate",
  goal: { atLeast: 0.9 },
  async measure({ smoke }) {
    const installs = smoke ? INSTALLS_SMOKE : INSTALLS;
    const ratios: number[] = [];
    const slowest: number[] = [];
    for (let round = 0; round < (smoke ? 1 : ROUNDS); round += 1) {
      const one = await runProcesses(1, installs);
      const eight = await runProcesses(PROCESSES, installs);
      ratios.push(eight.perSecond / one.perSecond);
      slowest.push(Math.max(...eight.times) / quantile(eight.times, 0.5));
    }
    const slowestOverMedian = quantile(slowest, 0.5);
    return {
      ...summarise(ratios),
      peer: "the same installs by one process",
      detail: {
        processes: PROCESSES,
        installs,
        slowestOverMedian,
        slowestHolds: String(slowestOverMedian <= SLOWEST_MAX),
        lost: 0,
        doubled: 0,
      },
    };
  },
};
