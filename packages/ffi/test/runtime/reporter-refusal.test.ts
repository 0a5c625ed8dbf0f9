import { buildFaultRuntime, openScript } from "@mesh/testkit";
import { expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/open-runtime.ts";
import { drainAll } from "./records.ts";

it("a setter that refuses leaves no owner behind, and opens go on", async () => {
  const runtime = await openRuntime(await buildFaultRuntime("setter-refuses"));
  await expect(runtime.installReporter()).rejects.toMatchObject({ code: "REPORTER_REFUSED" });
  expect(runtime.reporterOwner()).toBeUndefined();
  const queue = runtime.createModelOpenQueue();
  await (await runtime.openModel({ path: openScript([{ step: "finished" }]), queue })).close();
  expect(drainAll(queue)).toHaveLength(1);
});
