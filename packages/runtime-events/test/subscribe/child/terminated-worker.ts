/**
 * A worker subscribes and is terminated while a native flood fills the ring; the main thread is refused meanwhile and takes the reporter
 * over afterwards.
 */
import { once } from "node:events";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { openScript } from "@mesh/testkit";
import { runtimeEvents, subscribeRuntimeEvents } from "../../../src/index.ts";
import { loadFaultRuntime } from "../../fault-runtime.ts";

const runtime = await loadFaultRuntime("good");
const flood = openScript([{ step: "reporter-threads", fields: { threads: 4, countPerThread: 20_000, kind: 401 } }]);

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url));
  await once(worker, "message");
  const refused = await runtimeEvents(runtime).catch((error: unknown) => error);
  console.log("while the worker has it:", refused instanceof Error && "code" in refused ? refused.code : "not refused");
  const flooding = runtime.openModel({ path: flood });
  await worker.terminate();
  const model = await flooding;
  const stream = await runtimeEvents(runtime, { keepAlive: true });
  await model.close();
  for await (const item of stream) if (item.kind === "unload-completed") break;
  console.log("afterwards: unload-completed");
} else {
  await subscribeRuntimeEvents(runtime, { keepAlive: true, onItem: () => undefined });
  parentPort?.postMessage("subscribed");
}
