import { buildFaultRuntime, openScript } from "@mesh/testkit";
import { expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/open-runtime.ts";

it("with one of the two entries missing, every open takes the plain one and the queue stays empty", async () => {
  const runtime = await openRuntime(await buildFaultRuntime("events-without-parts-open"));
  expect(runtime.capabilities.confirmedFamilies).not.toContain("runtime_events");
  expect(runtime.capabilities.healthMessages).toHaveLength(1);
  const queue = runtime.createModelOpenQueue();
  const model = await runtime.openModel({ path: openScript([{ step: "started" }, { step: "finished" }]), queue });
  expect(queue.counters()).toMatchObject({ offered: 0, accepted: 0 });
  await model.close();
  const failing = runtime.openModel({ path: openScript([{ step: "fail", count: 6 }]) });
  await expect(failing).rejects.toMatchObject({ facts: { function: "skippy_model_open" } });
});

it("another set of libraries is refused, the same one is shared", async () => {
  const { libraries } = await buildFaultRuntime("events-without-parts-open");
  expect((await openRuntime({ libraries })).libraries).toEqual(libraries);
  const other = await buildFaultRuntime("good");
  await expect(openRuntime(other)).rejects.toMatchObject({
    code: "RUNTIME_ALREADY_LOADED",
    facts: { libraries, requested: other.libraries },
  });
});
