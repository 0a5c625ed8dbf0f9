import { casBenches } from "./cas/benches.ts";
import { deliveryBenches } from "./delivery/delivery.ts";
import { nodeLlamaCppDeliveryBench } from "./delivery/node-llama-cpp.ts";
import { eventLoopBenches } from "./event-loop/benches.ts";
import { callbackBenches } from "./events/callback.ts";
import { endToEndBenches } from "./events/end-to-end.ts";
import { memoryBenches } from "./events/memory.ts";
import type { Bench } from "./harness/bench.ts";
import { installBenches } from "./install/benches.ts";

/** Every bench, in the order in which they run. */
export const BENCHES: readonly Bench[] = [
  ...endToEndBenches,
  ...callbackBenches,
  ...memoryBenches,
  ...deliveryBenches,
  nodeLlamaCppDeliveryBench,
  ...eventLoopBenches,
  ...casBenches,
  ...installBenches,
];
