import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRequirement, unmetBecause } from "../src/requirement.ts";

const STEPS = [
  { name: "unload-callbacks", value: "2" },
  { name: "reporter-install", value: "true" },
  { name: "open-with-events", value: 'ok records=24 seq=1..24 dropped=0 err="two words" struct_size>=112' },
  { name: "family-coverage", value: "kv confirmed=true count=3 OBSERVED" },
  { name: "family-coverage", value: "unload confirmed=true count=0 NOT_OBSERVED" },
  { name: "negative", value: "-1.5" },
];

describe("a requirement", () => {
  test.each([
    "unload-callbacks >= 1",
    "unload-callbacks>=2",
    "unload-callbacks <= 2",
    "unload-callbacks == 2",
    "unload-callbacks == 2.0",
    "unload-callbacks != 3",
    "unload-callbacks > 1",
    "unload-callbacks < 3",
    "reporter-install == true",
    "reporter-install",
    "open-with-events.records >= 1",
    "open-with-events.dropped == 0",
    "open-with-events.err == two words",
    "open-with-events.err",
    "family-coverage.confirmed == true",
    "family-coverage.count >= 0",
    "negative < 0",
  ])("%s holds", (text) => {
    expect(unmetBecause(parseRequirement(text), STEPS)).toBeUndefined();
  });

  test.each([
    ["unload-callbacks >= 3", '"2"'],
    ["unload-callbacks != 2.0", '"2"'],
    ["reporter-install == false", '"true"'],
    ["reporter-install >= 1", '"true", which is not a number'],
    ["missing", 'no marker "missing"'],
    ["missing >= 0", 'no marker "missing"'],
    ["open-with-events.lost == 0", 'no "lost=" in'],
    ["open-with-events.ecords >= 1", 'no "ecords=" in'],
    ["family-coverage.count >= 1", '"0"'],
  ])("%s does not hold, and says what was found", (text, found) => {
    expect(unmetBecause(parseRequirement(text), STEPS)).toContain(found);
  });

  test.each(["", "Upper >= 1", "a b", "a >= x", "a >=", "a >= 1e3", "a = 1", "a => 1", ">= 1", "a. >= 1"])(
    "%j cannot be read and is refused",
    (text) => {
      expect(() => parseRequirement(text)).toThrow(expect.objectContaining({ code: "INVALID_POLICY", found: text }));
    },
  );

  test("compares any two integers as numbers", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (found, expected) => {
        const steps = [{ name: "count", value: String(found) }];
        const isMet = (operator: string): boolean =>
          unmetBecause(parseRequirement(`count ${operator} ${expected}`), steps) === undefined;
        expect(isMet(">=")).toBe(found >= expected);
        expect(isMet("<=")).toBe(found <= expected);
        expect(isMet(">")).toBe(found > expected);
        expect(isMet("<")).toBe(found < expected);
        expect(isMet("==")).toBe(found === expected);
        expect(isMet("!=")).toBe(found !== expected);
      }),
    );
  });
});
