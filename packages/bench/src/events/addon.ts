import { createRequire } from "node:module";
import { compileOnce } from "../harness/compile.ts";

/** What the native part offers (native/bench/bench.cc). */
export interface BenchAddon {
  /** Starts threads that push `total` events into a ring, repeating each refused push. */
  startRing(producers: number, total: number): void;
  /** Drains packed records; how many. */
  drainRing(buffer: Uint8Array, recordsMax: number): number;
  joinRing(): void;
  /** Starts threads that make `total` thread-safe-function calls, each with the bytes of one record. */
  startCalls(producers: number, total: number, callback: (record: Uint8Array) => void): void;
  joinCalls(): void;
  /** Nanoseconds that so many callbacks took, and the allocations they made. */
  callbackCost(events: number, full: boolean): [nanoseconds: number, allocations: number];
  /** 1: shows that allocations are counted at all. */
  countOneAllocation(): number;
}

/**
 * Loads the native part, compiled from the addon's own sources when they have changed.
 *
 * @throws BenchError `NOT_BUILT`
 */
export function loadBenchAddon(): BenchAddon {
  const target = compileOnce({
    name: "bench",
    kind: "addon",
    sources: [
      "bench/bench.cc",
      "addon/src/runtime/record.cc",
      "addon/src/runtime/record_ring.cc",
      "addon/src/runtime/event_queue.cc",
    ],
    includes: ["addon/src", "abi"],
    // Every call of malloc in these sources goes through the counter; operator new is replaced by the source itself.
    flags: ["-Wl,--wrap=malloc"],
  });
  // The shape is that of the source compiled above, which belongs to the same commit.
  return createRequire(import.meta.url)(target) as BenchAddon;
}
