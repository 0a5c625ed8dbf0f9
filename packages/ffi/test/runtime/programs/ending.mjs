// Ends an environment in the middle of something. Arguments: the phase, the ending, the place, the libraries as JSON.
//
// Places: `main` has the addon alone; `worker` has it alone, in a worker; `both` has it in the main thread and two workers.
// Endings: `exit` is process.exit(7), `uncaught` an error nobody catches, `terminate` is worker.terminate(), after which the
// main thread goes on and exits with 0.

import { setTimeout } from "node:timers";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const EXIT_CODE = 7;

function startWorker(phase, ending, libraries) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { phase, ending, libraries } });
  // An uncaught error of a worker is an event here; without a listener it would end the process itself.
  worker.on("error", () => undefined);
  // Both listened for from the start: a worker may be gone before the other one has entered its phase.
  const entered = new Promise((resolve) => worker.once("message", resolve));
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  return { worker, entered, ended };
}

async function main() {
  const [phase, ending, place, list] = process.argv.slice(2);
  const libraries = JSON.parse(list);
  if (place !== "worker") {
    const { enter } = await import("./phases.mjs");
    await enter(phase, libraries);
    if (place === "main") return endHere(ending);
  }
  const inWorker = ending === "uncaught" ? ending : "none";
  const workers = Array.from({ length: place === "both" ? 2 : 1 }, () => startWorker(phase, inWorker, libraries));
  await Promise.all(workers.map(({ entered }) => entered));
  if (ending === "exit") process.exit(EXIT_CODE);
  if (ending === "terminate") await Promise.all(workers.map(({ worker }) => worker.terminate()));
  console.log(`workers ended with ${(await Promise.all(workers.map(({ ended }) => ended))).join(" ")}`);
  // The main thread lives on, and what it has itself is in the middle of something still.
  if (place === "both") process.exit(0);
}

function endHere(ending) {
  if (ending === "exit") process.exit(EXIT_CODE);
  setTimeout(() => {
    throw new Error("nobody catches this");
  }, 1);
}

async function work() {
  const { phase, ending, libraries } = workerData;
  const { enter } = await import("./phases.mjs");
  await enter(phase, libraries);
  parentPort.postMessage("entered");
  if (ending === "uncaught") endHere(ending);
}

await (isMainThread ? main() : work());
