import { buildFaultRuntime } from "@mesh/testkit";
import { expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/open-runtime.ts";

it("callbacks after the clear returned are counted as such and queue nothing", async () => {
  const runtime = await openRuntime(await buildFaultRuntime("events-after-clear"));
  const reporter = await runtime.installReporter();
  await reporter.clear();
  await expect.poll(() => reporter.counters().droppedClosed, { timeout: 30_000 }).toBe(3);
  expect(reporter.counters()).toMatchObject({ offered: 3, accepted: 0, queued: 0 });
});
