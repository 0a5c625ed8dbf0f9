/** Waits with `keepAlive` for an event that comes later from native code, then leaves and ends. */
import { openScript } from "@mesh/testkit";
import { runtimeEvents } from "../../../src/index.ts";
import { loadFaultRuntime } from "../../fault-runtime.ts";

const runtime = await loadFaultRuntime("good");
const stream = await runtimeEvents(runtime, { keepAlive: true });
const steps = [{ step: "emit", fields: { family: "device", kind: 305 } }] as const;
setTimeout(() => {
  void runtime.openModel({ path: openScript(steps) }).then((model) => model.close());
}, 50).unref();
for await (const item of stream) {
  console.log(item.kind);
  if (item.kind === "unload-completed") break;
}
