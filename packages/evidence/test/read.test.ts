import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FILE_BYTES_MAX, LINES_MAX } from "../src/limits.ts";
import { parseEvidence, readEvidence } from "../src/read.ts";
import { temporaryFolder } from "./temporary.ts";

const folder = temporaryFolder();
const VALID = readFileSync(new URL("../vectors/valid/executed.evidence", import.meta.url));

describe("readEvidence", () => {
  test("reads a regular file, and says absent where there is none", () => {
    writeFileSync(folder.file("evidence"), VALID);
    expect(readEvidence(folder.file("evidence")).state).toBe("executed");
    expect(readEvidence(folder.file("none"))).toEqual({ state: "absent" });
    expect(readEvidence(folder.file("evidence/below"))).toMatchObject({ state: "unreadable" });
  });

  test("does not follow a link, read a folder or wait for a pipe", () => {
    writeFileSync(folder.file("target"), VALID);
    symlinkSync(folder.file("target"), folder.file("link"));
    symlinkSync(folder.file("nowhere"), folder.file("dangling"));
    mkdirSync(folder.file("folder"));
    execFileSync("mkfifo", [folder.file("fifo")]);
    for (const name of ["link", "dangling", "folder", "fifo"]) {
      expect(readEvidence(folder.file(name)), name).toMatchObject({ state: "unreadable" });
    }
  });

  test("reads a bounded number of bytes of a file of any size", () => {
    const file = folder.file("evidence");
    writeFileSync(file, VALID);
    truncateSync(file, FILE_BYTES_MAX * 1000);
    expect(readEvidence(file)).toMatchObject({
      state: "unreadable",
      reason: expect.stringContaining("longer than") as unknown,
    });
  });
});

describe("the number of lines", () => {
  const [first = "", ...rest] = VALID.toString().slice(0, -1).split("\n");
  const facts = rest.filter((line) => line.startsWith("run-") && !line.startsWith("run-steps"));

  test.each([
    [LINES_MAX, "executed"],
    [LINES_MAX + 1, "unreadable"],
  ])("%d makes the file %s", (lines, state) => {
    const count = lines - 2 - facts.length;
    const steps = Array.from({ length: count }, (_, index) => `step: ${index}`);
    const text = [first, ...steps, ...facts, `run-steps: ${count}`].join("\n");
    expect(parseEvidence(Buffer.from(`${text}\n`)).state).toBe(state);
  });
});
