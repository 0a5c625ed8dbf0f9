import { describe, expect, test } from "vitest";
import { countedLine, isSuccess, sum } from "../counts.ts";
import { runSteps } from "../run-steps.ts";
import { complaintStep } from "../step.ts";
import { withEnd } from "../vitest-step.ts";

describe("counts", () => {
  test("the last line has the form that .ci/run reads", () => {
    const counts = sum([
      { passed: 2, failed: 0, skipped: 1 },
      { passed: 1, failed: 1, skipped: 0 },
    ]);
    expect(countedLine(counts)).toBe("3 passed, 1 failed, 1 skipped");
  });

  test("a run in which nothing passed is not a success, nor is one with a failure", () => {
    expect(isSuccess({ passed: 0, failed: 0, skipped: 0 })).toBe(false);
    expect(isSuccess({ passed: 0, failed: 0, skipped: 9 })).toBe(false);
    expect(isSuccess({ passed: 9, failed: 1, skipped: 0 })).toBe(false);
    expect(isSuccess({ passed: 1, failed: 0, skipped: 9 })).toBe(true);
  });

  test("a suite that ends badly although every test passed has failed once; a counted failure is not counted twice", () => {
    expect(withEnd({ passed: 3, failed: 0, skipped: 0 }, "SIGSEGV")).toEqual({ passed: 3, failed: 1, skipped: 0 });
    expect(withEnd({ passed: 3, failed: 2, skipped: 0 }, 1)).toEqual({ passed: 3, failed: 2, skipped: 0 });
    expect(withEnd({ passed: 3, failed: 0, skipped: 0 }, 0)).toEqual({ passed: 3, failed: 0, skipped: 0 });
  });
});

describe("runSteps", () => {
  test("a step that throws is one failure, is shown, and does not stop the others", async () => {
    const written: string[] = [];
    const counts = await runSteps(
      [
        { name: "broken", run: () => Promise.reject(new Error("it broke")) },
        complaintStep("complains", () => ["line 1", "line 2"]),
        complaintStep("content", () => []),
      ],
      2,
      (text) => written.push(text),
    );
    expect(counts).toEqual({ passed: 1, failed: 2, skipped: 0 });
    expect(written.join("")).toContain("it broke");
    expect(written.join("")).toContain("line 1\nline 2");
  });
});
