import fc from "fast-check";
import { expect, test } from "vitest";
import { addMilliseconds, compareTimestamps, isTimestamp, timestampOf } from "../src/index.ts";

const milliseconds = fc.integer({ min: 0, max: 4_102_444_800_000 });

test("every instant has one spelling, and it is a timestamp", () => {
  expect(timestampOf(0)).toBe("1970-01-01T00:00:00Z");
  expect(timestampOf(1_500)).toBe("1970-01-01T00:00:01.5Z");
  fc.assert(fc.property(milliseconds, (instant) => isTimestamp(timestampOf(instant))));
});

test.each([
  "2026-08-01T12:00:00.50Z",
  "2026-08-01T12:00:00.Z",
  "2026-02-30T12:00:00Z",
  "2026-08-01T12:00:60Z",
  "2026-08-01T12:00:00+00:00",
  "2026-08-01 12:00:00Z",
])("%s is refused", (text) => {
  expect(isTimestamp(text)).toBe(false);
});

test("the order is that of the instants", () => {
  fc.assert(
    fc.property(milliseconds, milliseconds, (left, right) => {
      expect(compareTimestamps(timestampOf(left), timestampOf(right))).toBe(Math.sign(left - right));
    }),
  );
  expect(compareTimestamps("2026-08-01T12:00:00.000001Z", "2026-08-01T12:00:00Z")).toBe(1);
});

test("adding milliseconds moves the instant and keeps what is below a millisecond", () => {
  expect(addMilliseconds("2026-08-01T12:00:00.000001Z", 3_600_000)).toBe("2026-08-01T13:00:00.000001Z");
  fc.assert(
    fc.property(milliseconds, fc.integer({ min: 0, max: 1e9 }), (instant, added) => {
      expect(addMilliseconds(timestampOf(instant), added)).toBe(timestampOf(instant + added));
    }),
  );
});
