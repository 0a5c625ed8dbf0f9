import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LINE_BYTES_MAX } from "../src/limits.ts";
import { formatLine, formatStep, parseLine } from "../src/line.ts";

const anyText = fc.oneof(fc.string({ unit: "binary", minLength: 1 }), fc.string({ unit: "grapheme", minLength: 1 }));

describe("formatLine makes exactly one line of any value", () => {
  test("which reads back under its own name", () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const line = formatLine("step", value);
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\ufeff]/u);
        expect(parseLine(line)?.name).toBe("step");
      }),
      { numRuns: 1000 },
    );
  });

  test("unchanged where it holds nothing unsafe", () => {
    expect(formatLine("model-open", 'err="déjà vu" kinds=[A,Bx12]')).toBe('model-open: err="déjà vu" kinds=[A,Bx12]');
  });

  const forgeries: [string, string][] = [
    ["a new line that says executed", "x\nexecuted"],
    ["a carriage return", "x\rexecuted"],
    ["a line separator", "x\u2028executed"],
    ["a next-line control", "x\u0085executed"],
    ["text that is shown backwards", "x\u202edetucexe"],
    ["a terminal escape", "x\u001b[2K\u001b[1Gexecuted"],
    ["half of a surrogate pair", "x\ud800"],
    ["a NUL", "x\0"],
  ];

  test.each(forgeries)("%s is escaped", (_, value) => {
    const line = formatLine("step", value);
    expect(line).toMatch(/^step: x\\u\{[0-9a-f]+\}/);
    expect(parseLine(line)).toBeDefined();
  });

  test.each([LINE_BYTES_MAX - 8, LINE_BYTES_MAX - 7, LINE_BYTES_MAX - 6, 1_000_000])(
    "a value of %d bytes fits, or is cut and says how much is missing",
    (length) => {
      const line = formatLine("step", "x".repeat(length));
      const cut = /\[cut (\d+) bytes\]$/.exec(line);
      expect(Buffer.byteLength(line)).toBeLessThan(LINE_BYTES_MAX);
      expect(cut === null).toBe(length <= LINE_BYTES_MAX - 7);
      if (cut !== null) expect(line.match(/x/g)?.length).toBe(length - Number(cut[1]));
    },
  );

  test("a cut never splits a character", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4 }), (shift) => {
        const line = formatLine("step", `${"a".repeat(shift)}${"🙂".repeat(2000)}`);
        expect(Buffer.from(line).toString()).toBe(line);
        expect(line).not.toContain("\ufffd");
      }),
    );
  });
});

describe("what cannot be a marker is refused", () => {
  test.each(["", "Upper", "two words", "a:b", "-a", "a-", "a--b", "ä", "a\n", "a".repeat(65)])("name %j", (name) => {
    expect(() => formatLine(name, "x")).toThrow(expect.objectContaining({ code: "INVALID_MARKER", found: name }));
  });

  test.each(["executed", "failed", "blocked", "blocked-when-ungated", "running", "run-id", "run-x"])(
    "step name %s, which belongs to the format",
    (name) => {
      expect(() => formatStep(name, "x")).toThrow(expect.objectContaining({ code: "INVALID_MARKER" }));
    },
  );

  test("an empty value", () => {
    expect(() => formatStep("step", "")).toThrow(expect.objectContaining({ code: "INVALID_MARKER" }));
  });
});
