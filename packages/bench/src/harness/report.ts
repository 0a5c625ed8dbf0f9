import Table from "cli-table3";
import type { Bench, BenchResult, Measurement } from "./bench.ts";
import type { BenchEnvironment } from "./environment.ts";
import { type Goal, holds } from "./statistics.ts";

/** The results of one run by bench id. */
export type Results = Record<string, BenchResult>;

/** Judges a measurement and gives it the shape of the result file. */
export function toResult(
  { unit, goal }: Bench,
  { value, range, peer, detail }: Measurement,
  environment: BenchEnvironment,
): BenchResult {
  return {
    value,
    unit,
    goal: goal ?? null,
    holds: goal === undefined ? null : holds({ value, range }, goal),
    range,
    blocked: null,
    peer: peer ?? null,
    detail: detail ?? {},
    environment,
  };
}

/** The result of a bench that could not run here. */
export function toBlockedResult({ unit, goal }: Bench, blocked: string, environment: BenchEnvironment): BenchResult {
  const nothing = { value: null, holds: null, range: null, peer: null, detail: {} };
  return { ...nothing, unit, goal: goal ?? null, blocked, environment };
}

function goalText(goal: Goal | null): string {
  if (goal === null) return "";
  if ("exactly" in goal) return `= ${goal.exactly}`;
  return "atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}

function number(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}

const verdicts = new Map<boolean | null, string>([
  [true, "yes"],
  [false, "NO"],
  [null, "open"],
]);

/** The results as a table for people. */
export function table(results: Results): string {
  const rows = new Table({
    head: ["bench", "value", "10–90 %", "unit", "goal", "holds"],
    style: { head: [], border: [] },
  });
  for (const [id, result] of Object.entries(results)) {
    const { value, range, unit, goal } = result;
    if (value === null || range === null) {
      rows.push([id, "blocked", "", result.blocked ?? "", goalText(goal), ""]);
      continue;
    }
    const verdict = goal === null ? "" : (verdicts.get(result.holds) ?? "");
    const [low, high] = range;
    rows.push([id, number(value), `${number(low)} – ${number(high)}`, unit, goalText(goal), verdict]);
  }
  return rows.toString();
}
