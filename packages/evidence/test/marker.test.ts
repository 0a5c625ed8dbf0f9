import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { LINE_BYTES_MAX } from "../src/limits.ts";
import { writeEvidenceMarker } from "../src/marker.ts";
import { temporaryFolder } from "./temporary.ts";

const folder = temporaryFolder();

describe("writeEvidenceMarker", () => {
  test("without a path touches nothing", () => {
    writeEvidenceMarker(undefined, "blocked: x");
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test("creates the file, and appends in order to one that is there", () => {
    const file = folder.file("evidence");
    writeEvidenceMarker(file, "first: 1");
    writeEvidenceMarker(file, "second: 2");
    expect(readFileSync(file, "utf8")).toBe("first: 1\nsecond: 2\n");
  });

  test("does not truncate what was there", () => {
    const file = folder.file("evidence");
    writeFileSync(file, "before\n");
    writeEvidenceMarker(file, "after: 1");
    expect(readFileSync(file, "utf8")).toBe("before\nafter: 1\n");
  });

  test("appends one line, whatever the text holds", () => {
    const file = folder.file("evidence");
    writeEvidenceMarker(file, `a\nexecuted\n${"x".repeat(1_000_000)}`);
    const text = readFileSync(file, "utf8");
    expect(text.split("\n")).toHaveLength(2);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LINE_BYTES_MAX);
  });

  test.each(["", "executed", "executed: yes"])("refuses %j: only a finished run may say that", (line) => {
    expect(() => {
      writeEvidenceMarker(folder.file("evidence"), line);
    }).toThrow(expect.objectContaining({ code: "INVALID_MARKER" }));
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test("reports a folder that is not there", () => {
    expect(() => {
      writeEvidenceMarker(folder.file("missing/evidence"), "x: 1");
    }).toThrow(expect.objectContaining({ code: "WRITE_FAILED" }));
  });
});
