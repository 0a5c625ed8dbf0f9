import type { Bench } from "../harness/bench.ts";
import { series } from "../harness/blocks.ts";
import { loadBenchAddon } from "./addon.ts";

const EVENTS = 20_000;

function callback(name: "accept" | "full"): Bench {
  return {
    id: `events.callback.${name}`,
    unit: "ns",
    async measure(options) {
      const addon = loadBenchAddon();
      let allocations = 0;
      const summary = await series(() => {
        const [nanoseconds, allocated] = addon.callbackCost(EVENTS, name === "full");
        allocations += allocated;
        return Promise.resolve(nanoseconds / EVENTS);
      }, options);
      return { ...summary, detail: { allocations, events: EVENTS } };
    },
  };
}

function allocations(): Bench {
  return {
    id: "events.callback.allocations",
    unit: "allocations",
    goal: { exactly: 0 },
    measure() {
      const addon = loadBenchAddon();
      const counted = [false, true].map((full) => addon.callbackCost(EVENTS, full)[1]);
      const value = counted.reduce((sum, one) => sum + one, 0) + (addon.countOneAllocation() === 1 ? 0 : Number.NaN);
      return Promise.resolve({ value, range: [value, value], detail: { callbacks: 2 * EVENTS } });
    },
  };
}

/** What the native callback costs while the ring has room and while it is full, and that it allocates nothing. */
export const callbackBenches: readonly Bench[] = [callback("accept"), callback("full"), allocations()];
