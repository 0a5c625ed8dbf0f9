import { join } from "node:path";
import { expect, test } from "vitest";
import { writeSampleModel } from "../../src/sample-model/index.ts";
import { abiCheck, type CheckedEvent } from "../support/abi-check.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const KIND = {
  kvInitialized: 200,
  pressureCrossed: 201,
  pressureCleared: 202,
  approaching: 203,
  exhausted: 204,
  backendInitialized: 300,
  deviceReady: 301,
  resourceAllocated: 306,
  outOfMemory: 307,
  fallback: 308,
  warning: 400,
  recoverable: 402,
  unloadStarted: 500,
  unloadCompleted: 501,
  forced: 503,
  draining: 504,
};

async function tinyModel(): Promise<string> {
  const { path } = await writeSampleModel({ path: join(await temporaryDirectory(), "model.gguf"), preset: "tiny" });
  return path;
}

function only(events: readonly CheckedEvent[], kind: number): CheckedEvent {
  const found = events.filter((event) => event.kind === kind);
  expect(found).toHaveLength(1);
  const [event] = found;
  if (event === undefined) throw new Error(`no event ${kind}`);
  return event;
}

test("an ordinary run emits devices, allocation, cache and unload, each once and in order", async () => {
  const check = await abiCheck([], [await tinyModel()]);
  expect(check.global.map((event) => event.kind)).toEqual([
    ...[KIND.backendInitialized, KIND.deviceReady, KIND.resourceAllocated, KIND.kvInitialized],
    ...[KIND.pressureCleared, KIND.unloadStarted, KIND.unloadCompleted],
  ]);
  expect(check.global.map((event) => event.sequence)).toEqual(check.global.map((_, index) => index + 1));
  expect(only(check.global, KIND.deviceReady)).toMatchObject({ category: 6, detail: "CPU" });
  expect(only(check.global, KIND.resourceAllocated).n[0]).toBeGreaterThan(200_000);
  expect(only(check.global, KIND.kvInitialized)).toMatchObject({ category: 4, session: 0, n: [0, 256, 0, 0] });
  expect(only(check.global, KIND.pressureCleared)).toMatchObject({ n: [0, 256, 0, 0] });
  const opened = check.open.at(-1)?.model;
  for (const kind of [KIND.unloadStarted, KIND.unloadCompleted]) {
    expect(only(check.global, kind)).toMatchObject({ category: 8, model: opened, n: [0, 0, 0, 0] });
  }
});

test("a selected device is initialised and ready on its own account", async () => {
  const check = await abiCheck(["--device", "CPU"], [await tinyModel()]);
  const kinds = check.global.map((event) => event.kind);
  expect(kinds.filter((kind) => kind === KIND.backendInitialized)).toHaveLength(2);
  expect(kinds.filter((kind) => kind === KIND.deviceReady)).toHaveLength(2);
});

test("a context that memory cannot hold is out of memory, a handled failure, and no crash", async () => {
  // Half a terabyte of cache, in an address space of four gigabytes: refused on every machine, however it overcommits.
  const check = await abiCheck(["--context", String(2 ** 30)], [await tinyModel()], { addressSpaceKb: 4_000_000 });
  expect(check.call("open")).toMatchObject({ status: 7, value: 0 });
  expect(check.call("open").error).toMatch(/^failed to create llama context: .*(?:allocate|bad_alloc)/u);
  expect(check.open.at(-1)).toMatchObject({ kind: 5, status: 7, failure: 4 });
  expect(only(check.global, KIND.outOfMemory)).toMatchObject({ category: 6 });
  expect(check.global.map((event) => event.kind)).not.toContain(KIND.kvInitialized);
});

test("layers for a GPU that is not there are a fallback", async () => {
  const check = await abiCheck(["--gpu-layers", "5"], [await tinyModel()]);
  expect(only(check.global, KIND.fallback)).toMatchObject({ category: 6, n: [5, 0, 0, 0] });
});

test("a context that fills crosses 75 and 95 percent once, is exhausted with its state kept, and clears on reset", async () => {
  const check = await abiCheck(["--fill"], [await tinyModel()]);
  const kv = check.global.filter((event) => event.category === 4);
  expect(kv.map((event) => event.kind)).toEqual([
    ...[KIND.kvInitialized, KIND.pressureCrossed, KIND.approaching, KIND.exhausted, KIND.pressureCleared],
  ]);
  expect(only(kv, KIND.pressureCrossed).n).toEqual([192, 256, 0, 0]);
  expect(only(kv, KIND.approaching).n).toEqual([244, 256, 0, 0]);
  expect(only(kv, KIND.exhausted).n).toEqual([256, 256, 0, 0]);
  expect(check.call("decode")).toMatchObject({ status: 7 });
  expect(check.call("decode").error).toContain("the context of the session is full");
  expect(check.call("position").value).toBe(256);
  expect(check.call("reset").status).toBe(0);
  expect(only(check.global, KIND.recoverable)).toMatchObject({ category: 7, failure: 4 });
});

test("a warning of llama.cpp arrives as one whole line without a path", async () => {
  const check = await abiCheck(["--fill"], [await tinyModel()]);
  const warnings = check.global.filter((event) => event.kind === KIND.warning);
  expect(warnings.length).toBeGreaterThan(0);
  for (const warning of warnings) {
    expect(warning.detail).not.toMatch(/\n|\//u);
    expect(warning.detail).toMatch(/^[a-z_]+: \S/u);
  }
});

test("a model freed before its session is drained and forced, and the session answers with an error", async () => {
  const check = await abiCheck(["--keep-session"], [await tinyModel()]);
  const unload = check.global.filter((event) => event.category === 8);
  expect(unload.map((event) => event.kind)).toEqual([
    ...[KIND.unloadStarted, KIND.draining, KIND.forced, KIND.unloadCompleted],
  ]);
  expect(only(unload, KIND.draining).n[0]).toBe(1);
  expect(only(unload, KIND.forced).n[0]).toBe(1);
  expect(check.call("reset-after-model-free")).toMatchObject({
    status: 7,
    error: "the model of this session was freed before the session",
  });
  expect(check.call("session-free").status).toBe(0);
  expect(check.late).toEqual({ open: 0, global: 0 });
});
