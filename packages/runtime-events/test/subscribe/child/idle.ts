/** Subscribes in both forms and does nothing more: the process has to end by itself, with the subscriptions open. */
import { loadFaultRuntime } from "../../fault-runtime.ts";
import { runtimeEvents, subscribeRuntimeEvents } from "../../../src/index.ts";

const runtime = await loadFaultRuntime("good");
const stream = await runtimeEvents(runtime);
await subscribeRuntimeEvents(runtime, { onItem: () => undefined });
// A reader that waits for ever.
stream.next().catch(() => undefined);
console.log("subscribed");
