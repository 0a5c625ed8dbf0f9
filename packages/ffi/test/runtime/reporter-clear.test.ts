import { buildFaultRuntime } from "@mesh/testkit";
import { expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/open-runtime.ts";

it("a clear that takes half a second holds its promise and not the event loop", async () => {
  const runtime = await openRuntime(await buildFaultRuntime("clear-slow"));
  const reporter = await runtime.installReporter();
  const ticks: number[] = [];
  const ticking = setInterval(() => ticks.push(performance.now()), 10);
  const clearing = reporter.clear();
  // Installing waits for its turn behind the clear, on the same lane.
  const again = runtime.installReporter({ owner: "next" });
  await clearing;
  clearInterval(ticking);
  expect(ticks.length).toBeGreaterThan(2);
  expect((await again).owner).toBe("next");
  await (await again).clear();
});
