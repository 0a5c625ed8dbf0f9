import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildFaultRuntime, openScript } from "@mesh/testkit";
import { expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/open-runtime.ts";
import { drainAll } from "./records.ts";

it("a runtime without the extension lets the caller go, runs on, and what it opened is freed", async () => {
  const runtime = await openRuntime(await buildFaultRuntime("good"));
  expect(runtime.cancels).toEqual({ open: false, session: false });
  const directory = mkdtempSync(join(tmpdir(), "mesh-ffi-no-cancel-"));
  const [running, gate] = [join(directory, "running"), join(directory, "gate")];
  const reporter = await runtime.installReporter();
  const queue = runtime.createModelOpenQueue();
  const controller = new AbortController();
  const steps = [{ step: "touch", value: running }, { step: "wait-file", value: gate }, { step: "finished" }] as const;
  const opening = runtime.openModel({ path: openScript(steps), queue, signal: controller.signal });
  await expect.poll(() => existsSync(running), { timeout: 30_000 }).toBe(true);
  controller.abort();
  await expect(opening).rejects.toMatchObject({ name: "AbortError", code: "CANCELLED", nativeWork: "running" });
  expect(drainAll(queue)).toEqual([]);
  writeFileSync(gate, "");
  await expect.poll(() => drainAll(queue).map((record) => record.kind), { timeout: 30_000 }).toEqual([4]);
  await expect.poll(() => reporter.counters().accepted, { timeout: 30_000 }).toBe(2);
  expect(drainAll(reporter).map((record) => record.kind)).toEqual([500, 501]);
  await reporter.clear();
});

it("a prompt is evaluated in pieces of the runtime's size, and no piece is started after the signal", async () => {
  const runtime = await openRuntime(await buildFaultRuntime("good"));
  const directory = mkdtempSync(join(tmpdir(), "mesh-ffi-pieces-"));
  const [running, gate] = [join(directory, "running"), join(directory, "gate")];
  const path = openScript([
    { step: "endless" },
    { step: "batch", count: 2 },
    { step: "prefill-touch", value: running },
    { step: "prefill-wait-file", value: gate },
  ]);
  await using model = await runtime.openModel({ path });
  await using session = await model.createSession();
  const controller = new AbortController();
  const calling = session.prefill([1, 2, 3, 4, 5, 6], { signal: controller.signal });
  await expect.poll(() => existsSync(running), { timeout: 30_000 }).toBe(true);
  controller.abort();
  await expect(calling).rejects.toMatchObject({ code: "CANCELLED", nativeWork: "running" });
  writeFileSync(gate, "");
  await session.decode(7);
  // The piece that ran when the signal came, and the token of this decode.
  expect(session.position).toBe(3);
});
