import { buildFaultRuntime, openScript } from "@mesh/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { defaultThreads } from "../../src/runtime/config.ts";
import { openRuntime } from "../../src/runtime/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { drainAll } from "./records.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime(await buildFaultRuntime("good"));
});

/** What the scripted runtime says it received. */
async function echoedConfig(config: Parameters<Runtime["openModel"]>[0]["config"]): Promise<string> {
  const options = { path: openScript([{ step: "echo-config" }]), ...(config === undefined ? {} : { config }) };
  return runtime.openModel(options).then(
    () => "no error",
    (error: unknown) => (error instanceof Error ? error.message : "no Error"),
  );
}

describe("the return value of an open is the truth", () => {
  it.each([
    [1, "ERROR"],
    [2, "INVALID_ARGUMENT"],
    [3, "UNSUPPORTED"],
    [5, "IO_ERROR"],
    [6, "MODEL_ERROR"],
    [7, "RUNTIME_ERROR"],
    [-3, "UNKNOWN"],
    [42, "UNKNOWN"],
  ])("status %i is %s, with the runtime's words", async (status, statusName) => {
    const path = openScript([
      { step: "message", value: "the words" },
      { step: "return", value: status },
    ]);
    await expect(runtime.openModel({ path })).rejects.toMatchObject({
      code: "MODEL_OPEN_FAILED",
      facts: { function: "skippy_model_open_with_events", status, statusName, nativeMessage: "the words" },
    });
  });

  it("an error without words, and a failure without an error, are failures too", async () => {
    const silent = openScript([{ step: "return", value: 6 }]);
    await expect(runtime.openModel({ path: silent })).rejects.toMatchObject({ facts: { nativeMessage: null } });
    const without = openScript([{ step: "without-error" }, { step: "return", value: 6 }]);
    await expect(runtime.openModel({ path: without })).rejects.toMatchObject({ code: "MODEL_OPEN_FAILED" });
  });

  it("FINISHED and then a failure is a failure; FAILED and then success is a success", async () => {
    const finished = runtime.createModelOpenQueue();
    const path = openScript([{ step: "finished" }, { step: "return", value: 6 }]);
    await expect(runtime.openModel({ path, queue: finished })).rejects.toMatchObject({ code: "MODEL_OPEN_FAILED" });
    expect(drainAll(finished).map((record) => record.kind)).toEqual([4]);
    const model = await runtime.openModel({ path: openScript([{ step: "failed", count: 6 }]) });
    await model.close();
  });

  it("success without a handle is called a defect of the runtime", async () => {
    const path = openScript([{ step: "return", value: "null-handle" }]);
    await expect(runtime.openModel({ path })).rejects.toMatchObject({ code: "RUNTIME_NULL_HANDLE" });
  });

  it("every error struct is freed, whatever the outcome", async () => {
    const failing = openScript([{ step: "fail", count: 6 }]);
    for (let count = 0; count < 20; count += 1) await runtime.openModel({ path: failing }).catch(() => undefined);
    const counted = runtime.openModel({ path: openScript([{ step: "count-errors" }]) });
    await expect(counted).rejects.toThrow(/it said: .*\b0\b/);
  });
});

describe("bad input is refused before the runtime sees it", () => {
  it.each([
    ["an interior NUL in the path", { path: "/models/a\0b.gguf" }, "model path"],
    ["an empty path", { path: "" }, "model path"],
    ["an interior NUL in a part", { parts: ["/models/a-1.gguf", "/models/\0"] }, "part path"],
    ["no parts", { parts: [] }, "parts"],
  ])("%s", async (_, options, argument) => {
    await expect(runtime.openModel(options)).rejects.toMatchObject({ code: "ARGUMENT_INVALID", facts: { argument } });
  });

  it.each([
    [{ contextSize: 0 }, "config.contextSize"],
    [{ threads: 1.5 }, "config.threads"],
    [{ gpuLayers: 2 ** 31 }, "config.gpuLayers"],
    [{ device: "a\0b" }, "config.device"],
  ])("config %j", async (config, argument) => {
    const queue = runtime.createModelOpenQueue();
    const opening = runtime.openModel({ path: openScript([]), config, queue });
    await expect(opening).rejects.toMatchObject({ code: "ARGUMENT_INVALID", facts: { argument } });
    // The queue was not used up by an open that never began.
    await (await runtime.openModel({ path: openScript([]), queue })).close();
  });
});

describe("the runtime receives what was asked for", () => {
  it("the threads are all processors but one unless given", async () => {
    expect(await echoedConfig(undefined)).toContain(`n_threads=${defaultThreads()}`);
    expect(await echoedConfig({ threads: 3 })).toContain("n_threads=3");
  });

  it("mmap is the runtime's choice until it is overridden", async () => {
    expect(await echoedConfig({})).toContain("has_mmap_override=0");
    const off = await echoedConfig({ useMmap: false });
    expect(off).toContain("has_mmap_override=1");
    expect(off).toContain("use_mmap=0");
  });

  it("sizes and the device arrive", async () => {
    const echoed = await echoedConfig({ contextSize: 4096, device: "FAULT0", checkTensors: true });
    expect(echoed).toContain("ctx_size=4096");
    expect(echoed).toContain("selected_backend_device=FAULT0");
    expect(echoed).toContain("check_tensors=1");
  });

  it("parts reach the entry for parts, with their events", async () => {
    const queue = runtime.createModelOpenQueue();
    const parts = [openScript([{ step: "started" }, { step: "finished" }]), "/models/second.gguf"];
    await (await runtime.openModel({ parts, queue })).close();
    expect(drainAll(queue).map((record) => record.kind)).toEqual([1, 4]);
  });
});

describe("an open does not hold the event loop", () => {
  it("records arrive while the open is still running", async () => {
    const gate = `${process.env["TMPDIR"] ?? "/tmp"}/mesh-ffi-open-${process.pid}`;
    const { rm, writeFile } = await import("node:fs/promises");
    await rm(gate, { force: true });
    const queue = runtime.createModelOpenQueue();
    const steps = [{ step: "progress", count: 5 }, { step: "wait-file", value: gate }, { step: "finished" }] as const;
    let ended = false;
    const opening = runtime.openModel({ path: openScript(steps), queue }).then((model) => {
      ended = true;
      return model;
    });
    await expect.poll(() => queue.counters().queued, { timeout: 30_000 }).toBe(5);
    expect(drainAll(queue)).toHaveLength(5);
    expect(ended).toBe(false);
    await writeFile(gate, "");
    await (await opening).close();
    expect(drainAll(queue).map((record) => record.kind)).toEqual([4]);
    await rm(gate, { force: true });
  });
});
