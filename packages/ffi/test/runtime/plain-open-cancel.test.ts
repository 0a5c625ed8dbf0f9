import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildFaultRuntime, openScript } from "@mesh/testkit";
import { expect, it, onTestFinished, vi } from "vitest";
import { openRuntime } from "../../src/runtime/open-runtime.ts";

it("an open without events cannot be named in a cancel, so its caller is let go at once and not after a wait", async () => {
  const runtime = await openRuntime(await buildFaultRuntime("events-bit-clear-cancellable"));
  expect(runtime.cancels.open).toBe(true);
  expect(runtime.capabilities.confirmedFamilies).not.toContain("runtime_events");
  const directory = mkdtempSync(join(tmpdir(), "mesh-ffi-plain-cancel-"));
  const [running, gate] = [join(directory, "running"), join(directory, "gate")];
  const controller = new AbortController();
  const path = openScript([
    { step: "touch", value: running },
    { step: "wait-file", value: gate },
  ]);
  const opening = runtime.openModel({ path, signal: controller.signal });
  await expect.poll(() => existsSync(running), { timeout: 30_000 }).toBe(true);
  // No time passes from here on: whoever waits for the runtime to stop would wait for ever.
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
  onTestFinished(() => {
    vi.useRealTimers();
    writeFileSync(gate, "");
  });
  controller.abort();
  await expect(opening).rejects.toMatchObject({ code: "CANCELLED", nativeWork: "running" });
});
