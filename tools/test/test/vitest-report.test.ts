import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countReport, readVitestReport } from "../vitest-report.ts";

const here = path.dirname(fileURLToPath(import.meta.url));
let directory: string;

// Inside the clone, so that the suites written here find vitest as any suite does.
beforeAll(() => {
  directory = mkdtempSync(path.join(here, "suite-"));
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Runs a real vitest over one suite and gives the report it wrote. */
function reportOf(name: string, suite: string): { file: string; status: number | null } {
  const suiteFile = `${name}.suite.ts`;
  const file = path.join(directory, `${name}.json`);
  writeFileSync(path.join(directory, suiteFile), `import { test, expect } from "vitest";\n${suite}`);
  const config = path.join(directory, "vitest.config.mjs");
  writeFileSync(config, `export default { test: { include: ["${suiteFile}"] } };`);
  const args = ["run", "--root", directory, "--config", config, "--reporter=json", `--outputFile.json=${file}`];
  // A vitest inside a vitest must not take itself for a worker of the outer one.
  const environment = Object.entries(process.env).filter(([key]) => !key.startsWith("VITEST"));
  const child = spawnSync("vitest", args, { env: Object.fromEntries(environment), stdio: "ignore" });
  return { file, status: child.status };
}

describe("the report of a real vitest run", () => {
  test("is counted by how each test ended; a skipped test never counts as passed", () => {
    const { file } = reportOf(
      "mixed",
      `test("a", () => {}); test("b", () => { expect(1).toBe(2); }); test.skip("c", () => {}); test.todo("d");`,
    );
    expect(readVitestReport(file)).toMatchObject({ kind: "counted", counts: { passed: 1, failed: 1, skipped: 2 } });
  });

  test("with a file that fails before its first test counts that as a failure", () => {
    const { file } = reportOf("broken", `throw new Error("cannot load");`);
    expect(readVitestReport(file)).toMatchObject({ kind: "counted", counts: { passed: 0, failed: 1, skipped: 0 } });
  });

  test("in which every test was skipped is not counted", () => {
    const { file } = reportOf("skipped", `test.skip("a", () => {});`);
    expect(readVitestReport(file)).toEqual({ kind: "unreadable", reason: "it ran no test (1 skipped)" });
  });

  test("of a run that was killed half-way is missing, and so a failure", () => {
    const { file, status } = reportOf("killed", `test("a", () => { process.kill(process.ppid, "SIGKILL"); });`);
    expect(status).not.toBe(0);
    expect(readVitestReport(file).kind).toBe("unreadable");
  });
});

describe("a report that cannot be read is never fewer tests", () => {
  test("cut anywhere", () => {
    const whole = JSON.stringify({
      testResults: [{ name: "a", status: "passed", assertionResults: [{ status: "passed" }] }],
    });
    const file = path.join(directory, "cut.json");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 1 }), (length) => {
        writeFileSync(file, whole.slice(0, length));
        expect(readVitestReport(file).kind).toBe("unreadable");
      }),
    );
  });

  test("any other JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(countReport(value).kind).toBe("unreadable");
      }),
    );
  });

  test("a test of an unknown status", () => {
    const report = { testResults: [{ name: "a", status: "passed", assertionResults: [{ status: "flaky" }] }] };
    expect(countReport(report)).toMatchObject({ kind: "unreadable" });
  });
});
