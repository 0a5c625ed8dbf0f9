import type { Runtime } from "@mesh/ffi/runtime";
import { beforeAll, expect, it } from "vitest";
import { observeModelOpen, runtimeEvents } from "../../src/index.ts";
import { loadFaultRuntime } from "../fault-runtime.ts";

let runtime: Runtime;
beforeAll(async () => {
  runtime = await loadFaultRuntime("features-zero");
}, 120_000);

it("a runtime that confirms no events opens by the plain entry: a model, an empty observation, no complaint", async () => {
  const { result, observation } = await observeModelOpen(
    runtime,
    { path: "/models/any.gguf" },
    {
      onEvent: (event) => {
        throw new Error(`unexpected ${event.kind}`);
      },
    },
  );
  expect(result.kind).toBe("opened");
  expect(observation).toMatchObject({
    drained: 0,
    lost: 0,
    missingTerminal: true,
    contradictions: [],
    consumerErrors: 0,
  });
  if (result.kind === "opened") await result.model.close();
});

it("its reporter cannot be subscribed to, and the error says why", async () => {
  await expect(runtimeEvents(runtime)).rejects.toMatchObject({ code: "REPORTER_UNSUPPORTED" });
});
