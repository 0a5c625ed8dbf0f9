import { expect, test } from "vitest";
import { z } from "zod";
import { rememberChecked, rememberedText, wasChecked } from "../src/checked-value.ts";
import { PARSED_TEXTS_MAX } from "../src/limits.ts";
import { check, checkCanonicalText } from "../src/parse.ts";
import { wireText } from "../src/wire.ts";

const inner = z.strictObject({ items: z.array(z.string()).readonly() });
const frozen = z.strictObject({ inner: inner.readonly() }).readonly();
const open = z.strictObject({ inner }).readonly();

test("what a schema made and nothing can change is not checked again, by that schema alone", () => {
  const value = check(frozen, { inner: { items: ["a"] } }, "value");
  expect(check(frozen, value, "value")).toBe(value);
  expect(wasChecked(open, value)).toBe(false);
  expect(check(frozen, { inner: { items: ["a"] } }, "value")).not.toBe(value);
});

test("a value in which anything can still change is checked and encoded anew every time", () => {
  const value = check(open, { inner: { items: ["a"] } }, "value");
  const before = wireText(value, "utf8");
  Reflect.set(value.inner, "items", [7]);
  expect(wireText(value, "utf8")).not.toBe(before);
  expect(() => check(open, value, "value")).toThrow(expect.objectContaining({ code: "INVALID_VALUE" }));
});

test("a text is made once for each flavour of a value that cannot change", () => {
  const value = Object.freeze({ name: "ï" });
  rememberChecked(frozen, value);
  expect(wireText(value, "ascii")).not.toBe(wireText(value, "utf8"));
  expect(rememberedText(value, "utf8", () => "made again")).toBe('{"name":"ï"}');
});

test("a text that was read before gives the same value, and only as long as it is remembered", () => {
  const text = (name: string): string => `{"inner":{"items":["${name}"]}}`;
  const read = (name: string): unknown => checkCanonicalText(frozen, text(name), "utf8", "value");
  const value = read("a");
  expect(read("a")).toBe(value);
  for (let index = 0; index < PARSED_TEXTS_MAX; index += 1) read(`b${index}`);
  expect(read("a")).not.toBe(value);
  expect(read("a")).toEqual(value);
});
