import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canonicalJson,
  createConsentPolicy,
  createExecutionBinding,
  executionBindingText,
  INSTALLER_DIGEST,
  parseConsentPolicy,
  parseExecutionBinding,
  parseInstallPlanDescriptor,
  parseInstallSelection,
  parseMaterialIdentity,
  sha256Hex,
} from "../../src/index.ts";
import { wireText } from "../../src/wire.ts";
import { selectionOf } from "../support/bench.ts";
import { without } from "../support/without.ts";

const selection = selectionOf();
const { descriptor, resultMaterial } = selection.authority;

type WireObject = Record<string, unknown>;

/** A wire object of a value that is one. */
function wireOf(value: object): WireObject {
  return JSON.parse(wireText(value, "utf8")) as WireObject;
}

const PARSERS = [
  ["material identity", parseMaterialIdentity, resultMaterial],
  ["install plan descriptor", parseInstallPlanDescriptor, descriptor],
  ["install consent policy", parseConsentPolicy, createConsentPolicy()],
  ["install selection", parseInstallSelection, selection],
] as const;

describe.each(PARSERS)("%s", (_name, parse, value) => {
  const wire = wireOf(value);
  const fields = Object.keys(wire);

  test("reads back what was written, and cannot be changed", () => {
    const parsed = parse(wire);
    expect(parsed).toEqual(value);
    expect(Object.isFrozen(parsed)).toBe(true);
  });

  test("needs every field, and names the missing one", () => {
    for (const field of fields) {
      expect(() => parse(without(wire, field))).toThrow(
        expect.objectContaining({ code: "INVALID_VALUE", facts: expect.objectContaining({ field }) as object }),
      );
    }
  });

  test("knows no other field, in whatever spelling", () => {
    for (const field of ["command", "execution_token", "contentSha256", "content__sha256", "constructor", "Kind"]) {
      expect(() => parse({ ...wire, [field]: "x" })).toThrow(expect.objectContaining({ code: "INVALID_VALUE" }));
    }
  });

  test("has exact types: nothing is coerced", () => {
    const wrong = fc.oneof(
      fc.constantFrom(null, undefined, 0, 1, true, false, "", "true", [], {}, 1.5, Number.NaN),
      fc.string({ unit: "binary" }),
      fc.bigInt(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...fields), wrong, (field, replacement) => {
        fc.pre(
          JSON.stringify(wire[field]) !==
            JSON.stringify(replacement, (_key, item: unknown) => (typeof item === "bigint" ? `${item}n` : item)),
        );
        fc.pre(!isAnotherLegalValue(field, replacement));
        expect(() => parse({ ...wire, [field]: replacement })).toThrow(
          expect.objectContaining({
            code: expect.stringMatching(/INVALID_VALUE|DIGEST_MISMATCH|SELECTION_SUBSTITUTED/) as string,
          }),
        );
      }),
    );
  });

  test("is no list, no text and no nothing", () => {
    for (const other of [null, undefined, "", [], [wire], 1]) {
      expect(() => parse(other)).toThrow(expect.objectContaining({ code: "INVALID_VALUE" }));
    }
  });
});

/** Members of a selection that no digest of its own covers may have other values. */
function isAnotherLegalValue(field: string, value: unknown): boolean {
  return (
    (field === "name" && typeof value === "string" && value !== "") ||
    (field === "normalized_score_ppm" && typeof value === "number") ||
    (["matching_signals", "reason_codes"].includes(field) && Array.isArray(value))
  );
}

test.each([
  ["a digest in upper case", { content_sha256: resultMaterial.contentSha256.toUpperCase() }],
  ["a digest that is too short", { content_sha256: "abc" }],
  ["no bytes", { content_bytes: 0 }],
  ["more bytes than any material has", { content_bytes: 1_048_577 }],
  ["a kind that the id does not have", { kind: "agent" }],
  ["a harness", { kind: "harness", capability_id: "harness:x" }],
  ["two colons", { capability_id: "skill:a:b" }],
  ["an empty name", { capability_id: "skill:" }],
  ["an upper-case name", { capability_id: "skill:Remote" }],
  ["a path as a name", { capability_id: "skill:../x" }],
  ["129 characters", { capability_id: `skill:${"a".repeat(123)}` }],
])("a material identity with %s is refused", (_name, change) => {
  expect(() => parseMaterialIdentity({ ...wireOf(resultMaterial), ...change })).toThrow(
    expect.objectContaining({ code: "INVALID_VALUE" }),
  );
});

test("a capability id may have 128 characters", () => {
  expect(selectionOf("a".repeat(122)).capabilityId).toHaveLength(128);
});

test.each(["target_scope", "rollback_strategy"])("%s has one legal value", (field) => {
  expect(() => parseInstallPlanDescriptor({ ...wireOf(descriptor), [field]: "system" })).toThrow(
    expect.objectContaining({ code: "INVALID_VALUE", facts: expect.objectContaining({ field }) as object }),
  );
});

test("a digest that does not recompute is named", () => {
  const tampered = { ...wireOf(descriptor), provenance_digest: sha256Hex("other") };
  expect(() => parseInstallPlanDescriptor(tampered)).toThrow(
    expect.objectContaining({
      code: "DIGEST_MISMATCH",
      facts: { type: "install plan descriptor", field: "descriptor_digest" },
    }),
  );
});

test("the parts of a selection must be of one capability and one material", () => {
  const other = selectionOf("another").authority;
  for (const authority of [
    { ...selection.authority, resultMaterial: other.resultMaterial },
    { ...selection.authority, descriptor: other.descriptor },
  ]) {
    expect(() => parseInstallSelection({ ...wireOf(selection), authority: wireOf(authority) })).toThrow(
      expect.objectContaining({ code: "SELECTION_SUBSTITUTED" }),
    );
  }
});

describe("the text of an execution binding", () => {
  const binding = createExecutionBinding({
    driverId: "driver-1",
    driverDigest: INSTALLER_DIGEST,
    hostIdentityDigest: sha256Hex("host"),
    targetIdentityDigest: sha256Hex("target"),
  });
  const text = executionBindingText(binding);

  test("is read back", () => {
    expect(parseExecutionBinding(text)).toEqual(binding);
  });

  test.each([
    ["a blank", text.replace(":", ": ")],
    ["another key order", canonicalJson(JSON.parse(text) as never, "ascii").replace(/^\{("[^,]+),(.*)\}$/, "{$2,$1}")],
    ["a duplicate key", text.replace("{", '{"driver_id":"driver-2",')],
    ["an escape that is not needed", text.replace("driver-1", "\\u0064river-1")],
    ["no JSON", "{"],
  ])("is refused with %s", (_name, other) => {
    expect(other).not.toBe(text);
    expect(() => parseExecutionBinding(other)).toThrow(expect.objectContaining({ code: "NOT_CANONICAL" }));
  });
});
