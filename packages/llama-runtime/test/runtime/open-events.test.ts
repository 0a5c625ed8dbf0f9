import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeSampleModel } from "../../src/sample-model/index.ts";
import { abiCheck, type CheckedEvent } from "../support/abi-check.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const KIND = { started: 1, progress: 2, deviceSelected: 3, finished: 4, failedHandled: 5, phase: 100, tokenizer: 103 };
const STATUS = { invalidArgument: 2, io: 5, model: 6 };

function kindsOf(events: readonly CheckedEvent[]): number[] {
  return events.map((event) => event.kind);
}

/** What holds for the events of every open, successful or not. */
function expectWellFormed(events: readonly CheckedEvent[]): void {
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1));
  for (const event of events) expect([event.abi, event.size, event.stage, event.session]).toEqual([1, 144, 0, 0]);
  expect(events.map((event) => event.timestamp)).toEqual(events.map((event) => event.timestamp).sort((a, b) => a - b));
  const steps = events.filter((event) => event.kind === KIND.progress);
  for (const [index, step] of steps.entries()) {
    expect([step.total, step.unit, step.emitter, step.detail]).toEqual([1000, 4, 2, ""]);
    expect(step.current).toBeGreaterThan(steps[index - 1]?.current ?? 0);
    expect(step.current).toBeLessThanOrEqual(1000);
  }
}

describe.each([
  { how: "mapped", options: [] },
  { how: "read", options: ["--no-mmap"] },
])("an open of a model that is $how", ({ options }) => {
  test.each([1, 3])("in %i file(s) emits its events in the order of the ABI and none afterwards", async (splits) => {
    const path = join(await temporaryDirectory(), "model.gguf");
    const model = await writeSampleModel({ path, preset: "tiny", splits });
    const check = await abiCheck(options, [model.path]);
    expect(check.call("open")).toMatchObject({ status: 0, value: 1, error: "" });
    expectWellFormed(check.open);
    const steps = check.open.filter((event) => event.kind === KIND.progress);
    expect(steps.at(-1)?.current).toBe(1000);
    expect(kindsOf(check.open)).toEqual([
      KIND.started,
      ...steps.map(() => KIND.progress),
      ...[KIND.deviceSelected, KIND.phase, KIND.tokenizer, KIND.finished],
    ]);
    expect(check.open[0]?.detail).toBe(model.path);
    const [device, phase, tokenizer, finished] = check.open.slice(-4);
    expect(device).toMatchObject({ category: 2, detail: "CPU" });
    expect(phase).toMatchObject({ category: 1, n: [model.layers, 0, 0, 0], detail: "execution context ready" });
    expect(tokenizer).toMatchObject({ category: 1, n: [286, 0, 0, 0], detail: "tokenizer ready" });
    expect(finished).toMatchObject({ category: 1, status: 0, failure: 0, detail: "" });
    // The model has an identity from the device event on, and none before.
    const identities = check.open.map((event) => event.model !== 0);
    expect(identities).toEqual(identities.map((_, index) => index >= check.open.length - 4));
    expect(check.late).toEqual({ open: 0, global: 0 });
  });
});

test("progress is spread over the read of a larger model and not sent in one burst", async () => {
  const path = join(await temporaryDirectory(), "model.gguf");
  const model = await writeSampleModel({ path, preset: "small" });
  const check = await abiCheck(["--no-mmap"], [model.path]);
  const steps = check.open.filter((event) => event.kind === KIND.progress);
  expect(steps.length).toBeGreaterThan(50);
  // Between any two steps of a read lies work, so that no two carry the same time.
  expect(new Set(steps.map((event) => event.timestamp)).size).toBe(steps.length);
});

test("one file, a split found by its names and parts of any name decode to the same tokens", async () => {
  const directory = await temporaryDirectory();
  const single = await writeSampleModel({ path: join(directory, "model.gguf"), preset: "tiny" });
  const split = await writeSampleModel({ path: join(directory, "parts.gguf"), preset: "tiny", splits: 3 });
  const decoded = async (options: string[], models: readonly string[]): Promise<number[]> => {
    const check = await abiCheck(options, models);
    expect(check.open[0]?.detail).toBe(models[0]);
    return check.calls.filter((entry) => entry.call === "decode").map((entry) => entry.value);
  };
  const tokens = await decoded([], [single.path]);
  expect(tokens).toHaveLength(4);
  expect(await decoded([], [split.path])).toEqual(tokens);
  const renamed = split.paths.map((_, index) => join(directory, `anything-${index}.bin`));
  for (const [index, path] of split.paths.entries()) await rename(path, renamed[index] ?? "");
  expect(await decoded(["--parts"], renamed)).toEqual(tokens);
});

test("without a per-call reporter the load phases go to the process-global one", async () => {
  const path = join(await temporaryDirectory(), "model.gguf");
  await writeSampleModel({ path, preset: "tiny" });
  const check = await abiCheck(["--plain"], [path]);
  expect(check.open).toEqual([]);
  expect(kindsOf(check.global)).toEqual(expect.arrayContaining([KIND.phase, KIND.tokenizer]));
  const observed = await abiCheck([], [path]);
  expect(kindsOf(observed.global)).not.toContain(KIND.phase);
});

describe("a handled failure ends the stream, names its status and hides paths", () => {
  async function expectFailure(models: string[], options: string[], status: number, reason: RegExp): Promise<void> {
    const check = await abiCheck(options, models);
    const result = check.call("open");
    expect(result).toMatchObject({ status, value: 0 });
    expect(result.error).toMatch(reason);
    expect(result.error).not.toContain("/");
    expectWellFormed(check.open);
    expect(check.open[0]?.kind).toBe(KIND.started);
    expect(kindsOf(check.open).filter((kind) => kind === KIND.failedHandled)).toHaveLength(1);
    expect(kindsOf(check.open)).not.toContain(KIND.finished);
    const last = check.open.at(-1);
    expect(last).toMatchObject({ kind: KIND.failedHandled, status, model: 0 });
    expect(result.error.startsWith(last?.detail ?? "?")).toBe(true);
    expect(check.late).toEqual({ open: 0, global: 0 });
  }

  test("garbage in place of a model", async () => {
    const path = join(await temporaryDirectory(), "invalid.gguf");
    await writeFile(path, "this is not a model\u0000\u0001\u0002\u0003");
    await expectFailure([path], [], STATUS.model, /^failed to load llama model: .*magic/u);
  });

  test("no file at all", async () => {
    const path = join(await temporaryDirectory(), "absent.gguf");
    await expectFailure([path], [], STATUS.io, /absent\.gguf: No such file or directory/u);
  });

  test("a directory in place of a model", async () => {
    const path = join(await temporaryDirectory(), "folder.gguf");
    await mkdir(path);
    await expectFailure([path], [], STATUS.model, /^failed to load llama model/u);
  });

  test("a truncated model", async () => {
    const path = join(await temporaryDirectory(), "model.gguf");
    await writeSampleModel({ path, preset: "tiny" });
    await writeFile(path, (await readFile(path)).subarray(0, 100_000));
    await expectFailure([path], [], STATUS.model, /^failed to load llama model: /u);
  });

  test("a split model whose second part is missing", async () => {
    const directory = await temporaryDirectory();
    const model = await writeSampleModel({ path: join(directory, "model.gguf"), preset: "tiny", splits: 3 });
    await rm(model.paths[1] ?? "");
    await expectFailure([model.path], [], STATUS.model, new RegExp(basename(model.paths[1] ?? ""), "u"));
    await expectFailure([...model.paths], ["--parts"], STATUS.io, new RegExp(basename(model.paths[1] ?? ""), "u"));
  });

  test("a later part in place of the first", async () => {
    const directory = await temporaryDirectory();
    const model = await writeSampleModel({ path: join(directory, "model.gguf"), preset: "tiny", splits: 3 });
    await expectFailure([model.paths[1] ?? ""], [], STATUS.model, /first split/u);
  });

  test("a backend device that does not exist", async () => {
    const path = join(await temporaryDirectory(), "model.gguf");
    await writeSampleModel({ path, preset: "tiny" });
    await expectFailure(
      [path],
      ["--device", "GPU7"],
      STATUS.invalidArgument,
      /^unknown selected backend device: GPU7$/u,
    );
  });
});
