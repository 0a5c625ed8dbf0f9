import { buildFaultRuntime } from "@mesh/testkit";
import { expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/open-runtime.ts";
import { drainAll } from "./records.ts";

const KV_INITIALIZED = 200;

it("callbacks that the clear waits for are recorded, and drained after it", async () => {
  const runtime = await openRuntime(await buildFaultRuntime("events-in-clear"));
  const reporter = await runtime.installReporter();
  await reporter.clear();
  expect(reporter.counters()).toMatchObject({ offered: 2, accepted: 2, droppedClosed: 0, queued: 2 });
  expect(drainAll(reporter).map((record) => record.kind)).toEqual([KV_INITIALIZED, KV_INITIALIZED]);
});
