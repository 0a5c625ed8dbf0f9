import { existsSync, readFileSync } from "node:fs";
import { NOTHING, type Counts } from "./counts.ts";

/** What a report says, or why it says nothing that can be counted. */
export type VitestReport =
  | { readonly kind: "counted"; readonly counts: Counts; readonly failures: readonly string[] }
  | { readonly kind: "unreadable"; readonly reason: string };

/**
 * Counts the tests of one vitest run from its JSON report. A report that is missing, cut off, of another shape or empty is
 * unreadable and never "fewer tests"; a file that failed before its first test counts as one failure.
 */
export function readVitestReport(file: string): VitestReport {
  if (!existsSync(file)) return unreadable("vitest wrote no report: it did not come to an end");
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    return unreadable(`its report is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return countReport(parsed);
}

/** @param parsed the parsed report, of any shape */
export function countReport(parsed: unknown): VitestReport {
  const files = field(parsed, "testResults");
  if (!Array.isArray(files)) return unreadable("its report has no testResults");
  let counts = NOTHING;
  const failures: string[] = [];
  for (const one of files as unknown[]) {
    const tests = field(one, "assertionResults");
    const name = String(field(one, "name"));
    if (!Array.isArray(tests)) return unreadable(`its report has no assertionResults for ${name}`);
    for (const test of tests as unknown[]) {
      const status = field(test, "status");
      const outcome = outcomeOf(status);
      if (outcome === undefined) return unreadable(`its report has a test of status "${String(status)}" in ${name}`);
      counts = { ...counts, [outcome]: counts[outcome] + 1 };
      if (outcome === "failed") failures.push(`${name}: ${String(field(test, "fullName"))}`);
    }
    if (field(one, "status") === "failed" && !tests.some((test) => field(test, "status") === "failed")) {
      counts = { ...counts, failed: counts.failed + 1 };
      failures.push(`${name}: ${String(field(one, "message")).split("\n", 1).join("")}`);
    }
  }
  return counts.passed + counts.failed === 0
    ? unreadable(`it ran no test (${counts.skipped} skipped)`)
    : { kind: "counted", counts, failures };
}

function outcomeOf(status: unknown): keyof Counts | undefined {
  switch (status) {
    case "passed":
      return "passed";
    case "failed":
      return "failed";
    case "pending":
    case "skipped":
    case "todo":
    case "disabled":
      return "skipped";
    default:
      return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function unreadable(reason: string): VitestReport {
  return { kind: "unreadable", reason };
}
