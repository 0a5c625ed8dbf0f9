import type { Runtime } from "@mesh/ffi/runtime";
import { openScript } from "@mesh/testkit";
import { beforeAll, expect, it } from "vitest";
import { observeModelOpen, type RuntimeEvent } from "../../src/index.ts";
import { loadFaultRuntime } from "../fault-runtime.ts";

let runtime: Runtime;
beforeAll(async () => {
  runtime = await loadFaultRuntime("cancellable");
}, 120_000);

it("a cancelled open is drained to its FAILED_HANDLED with failure code CANCELLED, and says that it was cancelled", async () => {
  const controller = new AbortController();
  const events: RuntimeEvent[] = [];
  const { result, observation } = await observeModelOpen(
    runtime,
    {
      path: openScript([{ step: "started" }, { step: "wait-cancel" }, { step: "finished" }]),
      signal: controller.signal,
    },
    {
      onEvent(event) {
        events.push(event);
        // The native open waits for exactly this.
        if (event.kind === "model-open-started") controller.abort(new Error("enough"));
      },
    },
  );
  expect(result).toMatchObject({ kind: "cancelled", error: { name: "AbortError", nativeWork: "stopped" } });
  expect(events.map(({ kind }) => kind)).toEqual(["model-open-started", "model-open-failed-handled"]);
  expect(events.at(-1)).toMatchObject({ failureCode: "cancelled", status: "runtime-error" });
  expect(observation).toMatchObject({ lost: 0, sawFailedHandled: true, contradictions: [] });
});

it("a signal that has fired starts nothing", async () => {
  const { result, observation } = await observeModelOpen(
    runtime,
    { path: openScript([{ step: "started" }]), signal: AbortSignal.abort() },
    { onEvent: () => undefined },
  );
  expect(result).toMatchObject({ kind: "cancelled", error: { nativeWork: "not-started" } });
  expect(observation.drained).toBe(0);
});
