import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildFaultRuntime, type FaultVariantName } from "@mesh/testkit";
import { describe, expect, it, vi } from "vitest";
import { runProgram } from "./run-program.ts";

// Many processes, some of which wait for a native call that cannot be stopped.
vi.setConfig({ testTimeout: 240_000 });

async function libraries(variant: FaultVariantName): Promise<string> {
  return JSON.stringify((await buildFaultRuntime(variant)).libraries);
}

const PHASES = ["open", "decode", "drain", "reporter-drain"] as const;

describe.each(PHASES)("an environment that ends in the middle of: %s", (phase) => {
  it.each([
    ["process.exit in the main thread", "exit", "main", 7],
    ["an uncaught error in the main thread", "uncaught", "main", 1],
    ["process.exit with the addon in a worker alone", "exit", "worker", 7],
    ["an uncaught error in a worker that has the addon alone", "uncaught", "worker", 0],
    ["worker.terminate with the addon in that worker alone", "terminate", "worker", 0],
    ["process.exit with the addon in the main thread and two workers", "exit", "both", 7],
    ["worker.terminate of two workers beside the main thread", "terminate", "both", 0],
    ["an uncaught error in two workers beside the main thread", "uncaught", "both", 0],
  ] as const)("%s", async (_, ending, place, exitCode) => {
    const end = await runProgram("ending", [phase, ending, place, await libraries("cancellable")]);
    expect(end).toMatchObject({ exitCode, signal: null });
  });
});

describe("a runtime that cannot be stopped does not keep the process", () => {
  it.each([
    ["without the cancel extension", "good", "main"],
    ["whose cancel does nothing", "cancel-ignored", "main"],
    ["in a worker that has the addon alone", "good", "worker"],
  ] as const)("%s: the process ends with the code of its exit", async (_, variant, place) => {
    for (const phase of ["open", "decode"]) {
      const end = await runProgram("ending", [phase, "exit", place, await libraries(variant)]);
      expect(end).toMatchObject({ exitCode: 7, signal: null });
    }
  });
});

describe("what keeps a process alive", () => {
  it("nothing of an idle one: open runtime, reporter, queue, model and session", async () => {
    const end = await runProgram("idle", [await libraries("good")]);
    expect(end).toMatchObject({ exitCode: 0, signal: null });
    expect(end.output).toMatch(/^idle with [1-9]\d* and 2 events\n$/);
  });

  it("a call that is awaited, alone", async () => {
    expect(await runProgram("awaited", [await libraries("good")])).toEqual({
      exitCode: 0,
      signal: null,
      output: "opened\n",
    });
  });
});

describe("one process, many environments and formats", () => {
  it("the main thread and two workers decode at once", async () => {
    const end = await runProgram("three-environments", [await libraries("good")]);
    expect(end).toEqual({ exitCode: 0, signal: null, output: "Grüße 101\n".repeat(3) });
  });

  it("ES module and CommonJS share one runtime and one reporter", async () => {
    const end = await runProgram("both-formats", [await libraries("good")]);
    expect(end).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(end.output)).toEqual({
      refused: "REPORTER_OWNED the module",
      seen: true,
      owner: "CommonJS",
      stale: "REPORTER_REPLACED",
      kept: true,
    });
  });

  it("a second copy of the addon is refused, and both are named", async () => {
    const packageDirectory = fileURLToPath(new URL("../../", import.meta.url));
    const copy = mkdtempSync(join(tmpdir(), "mesh-ffi-copy-"));
    try {
      for (const part of ["package.json", "dist", "prebuilds"]) {
        cpSync(join(packageDirectory, part), join(copy, part), { recursive: true });
      }
      const list = await libraries("good");
      const entry = pathToFileURL(join(copy, "dist/runtime/index.js")).href;
      const end = await runProgram("second-copy", [list, entry]);
      expect(end).toMatchObject({ exitCode: 0 });
      const refused: unknown = JSON.parse(end.output);
      expect(refused).toMatchObject({
        code: "RUNTIME_OWNED_BY_ANOTHER_COPY",
        library: (JSON.parse(list) as string[]).at(-1),
      });
      expect(refused).toHaveProperty("owner", expect.stringContaining(packageDirectory));
      expect(refused).toHaveProperty("self", expect.stringContaining(copy));
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
});
