import { buildFaultRuntime, openScript } from "@mesh/testkit";
import { expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/open-runtime.ts";

it("a C++ exception that crosses the C ABI is an error of the call, and the process goes on", async () => {
  const runtime = await openRuntime(await buildFaultRuntime("throws-on-open"));
  const queue = runtime.createModelOpenQueue();
  await expect(runtime.openModel({ path: openScript([]), queue })).rejects.toMatchObject({ code: "RUNTIME_THREW" });
  await expect(runtime.openModel({ parts: ["/a", "/b"] })).rejects.toMatchObject({ code: "RUNTIME_THREW" });
  expect(await runtime.listDevices()).not.toHaveLength(0);
});
