import type { Bench } from "../harness/bench.ts";
import { eventLoopBench } from "./event-loop.ts";
import { growthBench } from "./growth.ts";
import { syncsBenches } from "./syncs.ts";
import { versusCBenches } from "./versus-c.ts";
import { versusCacacheBenches } from "./versus-cacache.ts";

/** The store's benches. */
export const casBenches: readonly Bench[] = [
  ...syncsBenches,
  ...versusCBenches,
  ...versusCacacheBenches,
  growthBench,
  eventLoopBench,
];
