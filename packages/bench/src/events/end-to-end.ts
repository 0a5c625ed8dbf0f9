import { decodeRecords, RECORD_BYTES, type RuntimeEvent } from "@mesh/runtime-events";
import type { Bench } from "../harness/bench.ts";
import { ratioOf, type Side } from "../harness/blocks.ts";
import { loadBenchAddon } from "./addon.ts";

const EVENTS = 1_000_000;
const EVENTS_SMOKE = 10_000;
const DRAIN_RECORDS = 256;

/** Looks at each event, so that no part of making it can be left out. */
class Reader {
  #count = 0;
  #checksum = 0n;

  read(event: RuntimeEvent): void {
    this.#count += 1;
    this.#checksum += event.sequence;
  }

  get count(): number {
    return this.#count;
  }

  get checksum(): bigint {
    return this.#checksum;
  }
}

/** Our way: native threads fill the ring, the reader drains without pause and decodes. Milliseconds for all events. */
function ring(producers: number, total: number): Side {
  const addon = loadBenchAddon();
  return () => {
    const reader = new Reader();
    const buffer = new Uint8Array(DRAIN_RECORDS * RECORD_BYTES);
    const start = performance.now();
    addon.startRing(producers, total);
    while (reader.count < total) {
      const drained = addon.drainRing(buffer, DRAIN_RECORDS);
      for (const event of decodeRecords(buffer.subarray(0, drained * RECORD_BYTES))) reader.read(event);
    }
    const elapsed = performance.now() - start;
    addon.joinRing();
    return Promise.resolve(elapsed);
  };
}

/** The usual way: one thread-safe-function call an event that delivers the same bytes, decoded by the same function. */
function calls(producers: number, total: number): Side {
  const addon = loadBenchAddon();
  return () =>
    new Promise((resolve) => {
      const reader = new Reader();
      const start = performance.now();
      addon.startCalls(producers, total, (record) => {
        for (const event of decodeRecords(record)) reader.read(event);
        if (reader.count < total) return;
        const elapsed = performance.now() - start;
        addon.joinCalls();
        resolve(elapsed);
      });
    });
}

function endToEnd(producers: number, atLeast: number): Bench {
  return {
    id: `events.endToEnd.${producers}p`,
    unit: "times faster",
    goal: { atLeast },
    async measure(options) {
      const total = options.smoke ? EVENTS_SMOKE : EVENTS;
      const ratio = await ratioOf(ring(producers, total), calls(producers, total), options);
      return {
        value: ratio.value,
        range: ratio.range,
        peer: "one thread-safe-function call an event",
        detail: {
          events: total,
          oursNsPerEvent: Math.round((ratio.ours * 1e6) / total),
          peerNsPerEvent: Math.round((ratio.peer * 1e6) / total),
        },
      };
    },
  };
}

/** One million accepted events from native threads to public event objects, against the usual way. */
export const endToEndBenches: readonly Bench[] = [endToEnd(1, 2), endToEnd(4, 1.5)];
