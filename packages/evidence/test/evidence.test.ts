import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Evidence } from "../src/evidence.ts";
import { LINES_MAX } from "../src/limits.ts";
import { readEvidence } from "../src/read.ts";
import { temporaryFolder } from "./temporary.ts";

const folder = temporaryFolder();
const SUBJECT = { name: "model.gguf", sha256: "a".repeat(64), size: 12 };

function start(file = folder.file("evidence")): Evidence {
  return Evidence.start({ file, command: "mesh demo", versions: { abi: "0.1.54" }, subjects: [SUBJECT] });
}

function firstLineOf(file: string): string {
  return readFileSync(file, "utf8").split("\n", 1).join("");
}

describe("a run", () => {
  test("says running from its start, and executed only after its end", () => {
    const file = folder.file("evidence");
    const evidence = start(file);
    evidence.record("open", "ok records=3");
    expect(readEvidence(file)).toMatchObject({ state: "running", facts: { id: evidence.runId, process: process.pid } });
    expect(readFileSync(file, "utf8")).not.toContain("executed");
    evidence.flushExecuted();
    expect(readEvidence(file)).toMatchObject({
      state: "executed",
      steps: [{ name: "open", value: "ok records=3" }],
      facts: {
        id: evidence.runId,
        command: "mesh demo",
        versions: { node: process.version, abi: "0.1.54" },
        subjects: [SUBJECT],
      },
    });
  });

  test("writes its steps in order right after the first line", () => {
    const file = folder.file("evidence");
    const evidence = start(file);
    evidence.record("one", "1");
    evidence.record("two", "2");
    evidence.record("one", "3");
    evidence.flushExecuted();
    expect(readFileSync(file, "utf8")).toMatch(/^executed\none: 1\ntwo: 2\none: 3\nrun-id: /);
  });

  test("that fails keeps the first line of the failure and what the steps before it established", () => {
    const file = folder.file("evidence");
    const evidence = start(file);
    evidence.record("one", "1");
    evidence.flushFailed(new Error("it broke\nat length\nexecuted"));
    expect(readEvidence(file)).toMatchObject({
      state: "failed",
      reason: "it broke",
      steps: [{ name: "one", value: "1" }],
    });
  });

  test.each([new Error(""), "", undefined, null, new TypeError("\n\n")])(
    "that fails with %s still says failed and why",
    (failure) => {
      const file = folder.file("evidence");
      start(file).flushFailed(failure);
      expect(firstLineOf(file)).toMatch(/^failed: .+/);
    },
  );

  test("of no step is never executed", () => {
    const file = folder.file("evidence");
    const evidence = start(file);
    expect(() => {
      evidence.flushExecuted();
    }).toThrow(expect.objectContaining({ code: "EVIDENCE_EMPTY" }));
    expect(readEvidence(file).state).toBe("running");
  });

  test("whatever its steps and failures say, reads back with its own state and step count", () => {
    const text = fc.string({ unit: "binary", minLength: 1 });
    const file = folder.file("evidence");
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), fc.option(text), (values, failure) => {
        const evidence = start(file);
        for (const value of values) evidence.record("step", value);
        if (failure === null) evidence.flushExecuted();
        else evidence.flushFailed(failure);
        const read = readEvidence(file);
        expect(read.state).toBe(failure === null ? "executed" : "failed");
        expect("steps" in read && read.steps.length).toBe(values.length);
      }),
      { numRuns: 100 },
    );
  });

  test("has exactly one final state", () => {
    const evidence = start();
    evidence.record("one", "1");
    evidence.flushExecuted();
    for (const again of [
      () => {
        evidence.flushExecuted();
      },
      () => {
        evidence.flushFailed("late");
      },
      () => {
        evidence.record("late", "1");
      },
    ]) {
      expect(again).toThrow(expect.objectContaining({ code: "EVIDENCE_FINISHED" }));
    }
    expect(firstLineOf(folder.file("evidence"))).toBe("executed");
  });

  test("has at most so many lines that a reader accepts them", () => {
    const file = folder.file("evidence");
    const evidence = start(file);
    expect(() => {
      for (let step = 0; step <= LINES_MAX; step += 1) evidence.record("step", String(step));
    }).toThrow(expect.objectContaining({ code: "EVIDENCE_TOO_LARGE" }));
    evidence.flushExecuted();
    expect(readEvidence(file).state).toBe("executed");
    expect(readFileSync(file, "utf8").split("\n").length - 1).toBe(LINES_MAX);
  });
});

describe("an earlier executed cannot survive", () => {
  test("the start of a later run", () => {
    const file = folder.file("evidence");
    const earlier = start(file);
    earlier.record("one", "1");
    earlier.flushExecuted();
    start(file);
    expect(readEvidence(file).state).toBe("running");
  });

  test("a later run that is killed", async () => {
    const file = folder.file("evidence");
    writeFileSync(file, "executed\n");
    const module = JSON.stringify(new URL("../src/evidence.ts", import.meta.url).href);
    const script = `
      const { Evidence } = await import(${module});
      const evidence = Evidence.start({ file: ${JSON.stringify(file)}, command: "killed" });
      evidence.record("one", "1");
      process.kill(process.pid, "SIGKILL");`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
    await new Promise((resolve) => child.on("close", resolve));
    expect(readEvidence(file)).toMatchObject({ state: "running", facts: { process: child.pid, command: "killed" } });
  });
});

describe("two runs on one file", () => {
  test("the earlier one finds the other's marker, writes nothing and fails", () => {
    const file = folder.file("evidence");
    const earlier = start(file);
    const later = start(file);
    earlier.record("one", "1");
    for (const finish of [
      () => {
        earlier.flushExecuted();
      },
      () => {
        earlier.flushFailed("x");
      },
    ]) {
      expect(finish).toThrow(
        expect.objectContaining({ code: "EVIDENCE_TAKEN", expected: earlier.runId, found: later.runId }),
      );
    }
    expect(readEvidence(file)).toMatchObject({ state: "running", facts: { id: later.runId } });
    later.record("one", "1");
    later.flushExecuted();
    expect(readEvidence(file)).toMatchObject({ state: "executed", facts: { id: later.runId } });
  });

  test.each(["removed", "replaced by another text"])("a marker that was %s is not replaced", (how) => {
    const file = folder.file("evidence");
    const evidence = start(file);
    evidence.record("one", "1");
    if (how === "removed") rmSync(file);
    else writeFileSync(file, "blocked: by hand\n");
    expect(() => {
      evidence.flushExecuted();
    }).toThrow(expect.objectContaining({ code: "EVIDENCE_TAKEN" }));
    expect(readEvidence(file).state).not.toBe("executed");
  });
});

describe("writing", () => {
  test("leaves no other file behind", () => {
    const evidence = start();
    evidence.record("one", "1");
    evidence.flushExecuted();
    expect(readdirSync(folder.path)).toEqual(["evidence"]);
  });

  test("refuses what is not a regular file and leaves it alone", () => {
    const target = folder.file("target");
    writeFileSync(target, "executed\n");
    symlinkSync(target, folder.file("link"));
    mkdirSync(folder.file("folder"));
    execFileSync("mkfifo", [folder.file("fifo")]);
    for (const name of ["link", "folder", "fifo"]) {
      expect(() => start(folder.file(name))).toThrow(
        expect.objectContaining({ code: "NOT_A_FILE", path: folder.file(name) }),
      );
    }
    expect(readFileSync(target, "utf8")).toBe("executed\n");
  });

  test("reports a folder that is not there with the system's own error as the cause", () => {
    expect(() => start(folder.file("missing/evidence"))).toThrow(
      expect.objectContaining({ code: "WRITE_FAILED", cause: expect.objectContaining({ code: "ENOENT" }) as unknown }),
    );
  });
});
