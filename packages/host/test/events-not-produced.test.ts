import { openRuntime, RECORD_BYTES, REPORTER_RECORDS_MAX } from "@mesh/ffi/runtime";
import { decodeRecords, EVENT_KINDS, type EventKind, OpaqueIdentities, toHostEvent } from "@mesh/runtime-events";
import { buildFaultRuntime, type EmitFields, openScript } from "@mesh/testkit";
import { expect, it } from "vitest";

/**
 * Kinds for which stock llama.cpp gives no honest occasion, so that the default runtime never sends them (the README of
 * `@mesh/llama-runtime` lists them). A scripted runtime sends each; a host must know them all the same.
 */
const NOT_PRODUCED: readonly (readonly [EventKind, EmitFields["family"]])[] = [
  ["model-load-memory-allocated", "load"],
  ["model-load-tensors-offloaded", "load"],
  ["model-load-aux-component-ready", "load"],
  ["device-degraded", "device"],
  ["device-unavailable", "device"],
  ["device-recovered", "device"],
  ["device-lost", "device"],
  ["diagnostic-warning-cleared", "diagnostic"],
  ["diagnostic-fatal-failure", "diagnostic"],
  ["diagnostic-invariant-violation", "diagnostic"],
  ["unload-failed", "unload"],
];

it("every kind that the default runtime never sends arrives from a runtime that does, and has a public form", async () => {
  const runtime = await openRuntime(await buildFaultRuntime("good"));
  await using reporter = await runtime.installReporter();
  const steps = NOT_PRODUCED.map(
    ([kind, family]) => ({ step: "emit", fields: { family, kind: EVENT_KINDS[kind].raw } }) as const,
  );
  await using model = await runtime.openModel({ path: openScript([...steps, { step: "finished" }]) });
  expect(model).toBeDefined();
  const buffer = new Uint8Array(REPORTER_RECORDS_MAX * RECORD_BYTES);
  const count = reporter.drainInto(buffer, REPORTER_RECORDS_MAX);
  const events = decodeRecords(buffer.subarray(0, count * RECORD_BYTES));
  expect(events.map(({ kind }) => kind)).toEqual(NOT_PRODUCED.map(([kind]) => kind));
  const identities = new OpaqueIdentities();
  for (const event of events) expect(toHostEvent(event, { identities })?.id).toBeTypeOf("string");
});
