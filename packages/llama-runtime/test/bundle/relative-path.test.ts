import fc from "fast-check";
import { join, normalize } from "node:path";
import { expect, test } from "vitest";
import { RELATIVE_PATH_BYTES_MAX } from "../../src/bundle/limits.ts";
import { isSafeRelativePath } from "../../src/bundle/relative-path.ts";

test("every accepted path stays below the root it is joined to and is its own normal form", () => {
  const component = fc.oneof(
    fc.string(),
    fc.constantFrom("..", ".", "", "a", "lib", "...", "\\", "C:", "\u0000", "a\nb"),
  );
  fc.assert(
    fc.property(fc.array(component, { maxLength: 6 }), (components) => {
      const path = components.join("/");
      if (!isSafeRelativePath(path)) return;
      expect(join("/root", path).startsWith("/root/")).toBe(true);
      expect(normalize(path)).toBe(path);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  "",
  "/lib/a.so",
  "../a.so",
  "lib/../../a.so",
  "./a.so",
  "lib//a.so",
  "lib/",
  "lib\\a.so",
  "C:/a.so",
  "a\u0000.so",
  "a\nb",
])("refuses %j", (path) => {
  expect(isSafeRelativePath(path)).toBe(false);
});

test("accepts a path of exactly the allowed length and none longer", () => {
  expect(isSafeRelativePath("a".repeat(RELATIVE_PATH_BYTES_MAX - 1))).toBe(true);
  expect(isSafeRelativePath("a".repeat(RELATIVE_PATH_BYTES_MAX))).toBe(true);
  expect(isSafeRelativePath("a".repeat(RELATIVE_PATH_BYTES_MAX + 1))).toBe(false);
});
