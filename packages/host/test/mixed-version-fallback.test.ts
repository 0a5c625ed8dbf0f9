import { openRuntime, type Runtime } from "@mesh/ffi/runtime";
import { observeModelOpen } from "@mesh/runtime-events";
import { buildFaultRuntime } from "@mesh/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { FALLBACK_TESTS } from "./native-gate/fallback-names.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime(await buildFaultRuntime("events-without-parts-open"));
});

describe("a runtime without model-open events", () => {
  it("a queue that the runtime has no events for stays empty, and the plain open is taken", async () => {
    const queue = runtime.createModelOpenQueue();
    await using model = await runtime.openModel({ path: "/any/model.gguf", queue });
    expect(model).toBeDefined();
    expect(queue.counters()).toMatchObject({ offered: 0, accepted: 0, queued: 0 });
  });

  it("an observed open of a runtime without the feature falls back, with no event and no contradiction", async () => {
    const { result, observation } = await observeModelOpen(
      runtime,
      { path: "/any/model.gguf" },
      { onEvent: () => expect.unreachable("no event was expected") },
    );
    expect(observation).toMatchObject({ drained: 0, lost: 0, missingTerminal: true, contradictions: [] });
    if (result.kind !== "opened") throw result.error;
    await result.model.close();
  });

  it("is what the evidence of the native gate says of it: both tests exist under the names it gives", ({ task }) => {
    const names = task.suite?.tasks.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...FALLBACK_TESTS]));
  });
});
