import { buildFaultRuntime } from "@mesh/testkit";
import { expect, it } from "vitest";
import { runProgram } from "./run-program.ts";

/** What a program with `record-entries` before it did not use. */
async function unanswered(name: string, parameters: readonly string[]): Promise<readonly string[]> {
  const end = await runProgram(name, parameters, ["record-entries"]);
  expect(end).toMatchObject({ exitCode: 0, signal: null });
  const names: unknown = JSON.parse(/^unanswered (.*)$/m.exec(end.output)?.[1] ?? "null");
  expect(Array.isArray(names)).toBe(true);
  return names as readonly string[];
}

it("the programs that the sanitizers watch use every function of the addon, on both faces", async () => {
  const { libraries } = await buildFaultRuntime("cancellable");
  const runtime = await unanswered("every-entry", [JSON.stringify(libraries)]);
  const files = await unanswered("every-file-entry", []);
  expect(runtime.filter((name) => name.startsWith("runtime."))).toEqual([]);
  expect(files.filter((name) => name.startsWith("fs."))).toEqual([]);
  // Each uses one face alone, so both lists say something.
  expect(runtime.length).toBeGreaterThan(15);
  expect(files.length).toBeGreaterThan(15);
});
