import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, InstallEngineError } from "../src/index.ts";
import { compareCodePoints } from "../src/unicode.ts";

describe("both flavours", () => {
  test("have sorted keys and no blanks", () => {
    expect(canonicalJson({ b: [1, true, null], a: { d: "x", c: 2n } }, "utf8")).toBe(
      '{"a":{"c":2,"d":"x"},"b":[1,true,null]}',
    );
  });

  test("keep integers beyond 2^53 exactly", () => {
    expect(canonicalJson({ inode: 18_446_744_073_709_551_615n }, "ascii")).toBe('{"inode":18446744073709551615}');
  });

  test("read back as the same value, whatever the key order was", () => {
    const scalar = fc.oneof(fc.string({ unit: "binary" }), fc.maxSafeInteger(), fc.boolean(), fc.constant(null));
    const value = fc.dictionary(fc.string({ unit: "binary" }), fc.oneof(scalar, fc.array(scalar)), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(value, fc.constantFrom("ascii" as const, "utf8" as const), (object, flavour) => {
        // fast-check makes -0 as well, which has no canonical text.
        fc.pre(
          !JSON.stringify(object, (_key, item: unknown) => (Object.is(item, -0) ? "-zero" : item)).includes("-zero"),
        );
        const text = canonicalJson(object, flavour);
        expect(JSON.parse(text)).toEqual(object);
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalJson(reversed, flavour)).toBe(text);
      }),
    );
  });

  test.each([
    ["a float", { a: 0.5 }, "$.a"],
    ["an unsafe integer", { a: 2 ** 53 }, "$.a"],
    ["minus zero", { a: -0 }, "$.a"],
    ["not a number", [Number.NaN], "$[0]"],
    ["undefined", { a: { b: undefined } }, "$.a.b"],
    ["a lone surrogate", { a: "\ud800" }, "$.a"],
    ["a lone surrogate in a key", { "\udc00": 1 }, "$.\udc00"],
    ["an object with a class", { a: new Date(0) }, "$.a"],
  ])("refuse %s and say where", (_name, value, path) => {
    const refuse = (): unknown => canonicalJson(value as never, "utf8");
    expect(refuse).toThrow(InstallEngineError);
    expect(refuse).toThrow(expect.objectContaining({ code: "INVALID_CANONICAL_VALUE", facts: { path } }));
  });
});

test("two lists of keys that look alike when joined stay two", () => {
  expect(canonicalJson({ "a,b": 1, c: 2 }, "utf8")).toBe('{"a,b":1,"c":2}');
  expect(canonicalJson({ a: 1, "b,c": 2 }, "utf8")).toBe('{"a":1,"b,c":2}');
  expect(canonicalJson({ "a,b,c": 1 }, "utf8")).toBe('{"a,b,c":1}');
  const keys = fc.uniqueArray(fc.string({ unit: fc.constantFrom("a", ",", "B") }), { maxLength: 4 });
  fc.assert(
    fc.property(keys, (names) => {
      const object = Object.fromEntries(names.map((name, index) => [name, index]));
      expect(JSON.parse(canonicalJson(object, "utf8"))).toEqual(object);
    }),
  );
});

test("flavour A escapes everything outside printable ASCII, DEL included, in lower case", () => {
  expect(canonicalJson('\u007fï😀\n"\\\u001f', "ascii")).toBe('"\\u007f\\u00ef\\ud83d\\ude00\\n\\"\\\\\\u001f"');
});

test("flavour A is ASCII for any string", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(canonicalJson(text, "ascii")).toMatch(/^[\x20-\x7e]*$/);
    }),
  );
});

test("flavour B keeps UTF-8 and DEL raw", () => {
  expect(canonicalJson("\u007fï😀\n\u001f", "utf8")).toBe('"\u007fï😀\\n\\u001f"');
});

test("keys are ordered by code point, not by UTF-16 unit", () => {
  expect(canonicalJson({ "😀": 1, "\uffff": 2 }, "utf8")).toBe('{"\uffff":2,"😀":1}');
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (left, right) => {
      const order = Buffer.compare(Buffer.from(left), Buffer.from(right));
      expect(Math.sign(compareCodePoints(left, right))).toBe(order);
    }),
  );
});
