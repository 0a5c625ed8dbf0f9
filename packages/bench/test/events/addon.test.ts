import { decodeRecords, RECORD_BYTES } from "@mesh/runtime-events";
import { expect, it } from "vitest";
import { loadBenchAddon } from "../../src/events/addon.ts";

const addon = loadBenchAddon();

it("the native callback allocates nothing, with room and without, and the counter would see it", () => {
  expect(addon.countOneAllocation()).toBe(1);
  expect(addon.callbackCost(5_000, false)[1]).toBe(0);
  expect(addon.callbackCost(5_000, true)[1]).toBe(0);
});

it("both sides deliver the same events, all of them, from any number of threads", async () => {
  const total = 3_000;
  for (const producers of [1, 4]) {
    const ring: bigint[] = [];
    const buffer = new Uint8Array(256 * RECORD_BYTES);
    addon.startRing(producers, total);
    while (ring.length < total) {
      const drained = addon.drainRing(buffer, 256);
      for (const { sequence } of decodeRecords(buffer.subarray(0, drained * RECORD_BYTES))) ring.push(sequence);
    }
    addon.joinRing();
    const calls = await new Promise<bigint[]>((resolve) => {
      const seen: bigint[] = [];
      addon.startCalls(producers, total, (record) => {
        for (const { sequence } of decodeRecords(record)) seen.push(sequence);
        if (seen.length === total) resolve(seen);
      });
    });
    addon.joinCalls();
    const sorted = (sequences: bigint[]): bigint[] => [...sequences].sort((a, b) => Number(a - b));
    expect(sorted(calls)).toEqual(sorted(ring));
  }
});
