import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { loopBusyDuring } from "../../src/event-loop/watch.ts";

const HELD_MS = 30;

function useProcessor(milliseconds: number): void {
  const start = process.threadCpuUsage();
  const used = (): number => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  };
  while (used() < milliseconds);
}

it("a turn that holds the loop is seen, whole", async () => {
  const { longestHeldMs, longestWallMs, turns } = await loopBusyDuring(async () => {
    await delay(5);
    useProcessor(HELD_MS);
    await delay(5);
  });
  // The clock of the thread and the one of its usage differ by less than a tick.
  expect(longestHeldMs).toBeGreaterThan(HELD_MS * 0.9);
  expect(longestWallMs).toBeGreaterThan(HELD_MS * 0.9);
  expect(turns).toBeGreaterThan(1);
});

it("waiting for events is not holding the loop", async () => {
  const { longestHeldMs, longestWallMs } = await loopBusyDuring(() => delay(200));
  expect(longestHeldMs).toBeLessThan(200);
  expect(longestWallMs).toBeLessThan(200);
});
