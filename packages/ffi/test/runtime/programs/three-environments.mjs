// The main thread and two workers open the same runtime and decode at the same time. Argument: the libraries as JSON.

import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { openRuntime } from "@mesh/ffi/runtime";

const ROUNDS = 20;

async function generate(libraries) {
  const runtime = await openRuntime({ libraries });
  const texts = new Set();
  for (let round = 0; round < ROUNDS; round += 1) {
    const queue = runtime.createModelOpenQueue();
    const model = await runtime.openModel({ path: "/fault/script:progress=100;finished;text=Gr%C3%BC%C3%9Fe", queue });
    const session = await model.createSession();
    let text = "";
    for await (const piece of session.generate([1])) text += piece;
    texts.add(`${text} ${queue.counters().accepted}`);
    await Promise.all([session.close(), model.close()]);
    queue.close();
  }
  return [...texts].join("|");
}

if (isMainThread) {
  const libraries = JSON.parse(process.argv[2]);
  const workers = [1, 2].map(() => new Worker(new URL(import.meta.url), { workerData: libraries }));
  const answers = workers.map(
    (worker) => new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject)),
  );
  console.log([await generate(libraries), ...(await Promise.all(answers))].join("\n"));
} else {
  parentPort.postMessage(await generate(workerData));
}
