import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../../", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "mesh-ffi-callback-"));

vi.setConfig({ hookTimeout: 240_000 });

let report: Record<string, unknown>;

beforeAll(async () => {
  const program = join(directory, "callback");
  const sources = ["record", "record_ring", "event_queue"].map((name) => `native/addon/src/runtime/${name}.cc`);
  await run(
    "c++",
    [
      ...["-std=c++20", "-O2", "-pthread", "-Wall", "-Wextra", "-Werror"],
      "-DCOUNT_ALLOCATIONS",
      ...["-I", "native/addon/src", "-I", "native/abi", "-o", program],
      "packages/ffi/test/runtime/native/callback.cc",
      ...sources,
    ],
    { cwd: root },
  );
  // A failed check is a status as well, for the sanitizers; the tests below say which.
  const { stdout } = await run(program).catch((error: unknown) => error as { stdout: string });
  report = JSON.parse(stdout) as Record<string, unknown>;
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe("the callback of an event", () => {
  it("allocates nothing: accepted, cut, refused, dropped, late, and without a queue", () => {
    expect(report["allocationsAreCounted"]).toBe(true);
    expect(report["allocations"]).toBe(0);
  });

  it("survives 200,000 events of arbitrary bytes, and reads nothing beyond the size they declare", () => {
    expect(report["arbitrary"]).toBe(200_000);
    expect(report["rejected"]).toBeGreaterThan(50_000);
    expect(report["rejected"]).toBeLessThan(200_000);
  });

  it("many threads against one drain: nothing twice, torn or out of its thread's order, every sum exact", () => {
    expect(report["conserves"]).toBe(true);
  });

  it("how an open ended is drained last, also while a producer stands still between its claim and its publication", () => {
    expect(report["terminalIsLast"]).toBe(true);
  });

  it("one that comes late is counted in its own queue, however many queues were used since", () => {
    expect(report["outlives"]).toBe(true);
  });
});
