import { expect, it } from "vitest";
import type { Bench } from "../src/harness/bench.ts";
import { BenchError } from "../src/harness/error.ts";
import { table } from "../src/harness/report.ts";
import { runBenches } from "../src/run.ts";

const environment = {
  node: process.version,
  platform: "test",
  processor: "test",
  processors: 1,
  load: 0,
  fileSystem: "0x0",
  fsyncP50Ms: 0,
};

const bench = (id: string, value: number): Bench => ({
  id,
  unit: "times",
  goal: { atLeast: 2 },
  measure: () => Promise.resolve({ value, range: [value, value], peer: "the other" }),
});

it("runs what begins with the prefix and keeps every fact of a result", async () => {
  const started: string[] = [];
  const benches = [bench("a.one", 3), bench("a.two", 1), bench("b.one", 9)];
  const results = await runBenches(benches, { smoke: true, only: "a." }, environment, ({ id }) => started.push(id));
  expect(started).toEqual(["a.one", "a.two"]);
  expect(results).toEqual({
    "a.one": {
      value: 3,
      unit: "times",
      goal: { atLeast: 2 },
      holds: true,
      range: [3, 3],
      blocked: null,
      peer: "the other",
      detail: {},
      environment,
    },
    "a.two": {
      value: 1,
      unit: "times",
      goal: { atLeast: 2 },
      holds: false,
      range: [1, 1],
      blocked: null,
      peer: "the other",
      detail: {},
      environment,
    },
  });
  expect(table(results)).toMatch(/a\.one[^\n]*yes/);
  expect(table(results)).toMatch(/a\.two[^\n]*NO/);
});

it("reports what a machine lacks as blocked, and goes on", async () => {
  const lacking: Bench = {
    ...bench("a.one", 0),
    measure: () => Promise.reject(new BenchError({ code: "BLOCKED", message: "strace is not installed" })),
  };
  const results = await runBenches([lacking, bench("a.two", 3)], { smoke: true }, environment, () => undefined);
  expect(results["a.one"]).toMatchObject({ value: null, holds: null, blocked: "strace is not installed" });
  expect(results["a.two"]).toMatchObject({ value: 3, blocked: null });
  expect(table(results)).toMatch(/a\.one[^\n]*blocked[^\n]*strace is not installed/);
});

it("names the benches there are when none is meant", async () => {
  await expect(
    runBenches([bench("a", 1)], { smoke: true, only: "z" }, environment, () => undefined),
  ).rejects.toMatchObject({
    code: "NO_SUCH_BENCH",
    message: 'no bench begins with "z"; there are a.',
  });
});
