import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CAPABILITY_FAMILIES, probeCapabilities } from "../../src/runtime/capability.ts";

const everySymbol = (): boolean => true;
const noSymbol = (): boolean => false;
const ALL_FAMILY_BITS = CAPABILITY_FAMILIES.reduce((mask, family) => mask | (1n << BigInt(family.bit)), 0n);

describe("what a runtime confirms", () => {
  it("a complete family is confirmed without a message", () => {
    const report = probeCapabilities(ALL_FAMILY_BITS, everySymbol);
    expect(report.confirmed).toBe(ALL_FAMILY_BITS);
    expect(report.confirmedFamilies).toEqual(CAPABILITY_FAMILIES.map((family) => family.name));
    expect(report.healthMessages).toEqual([]);
  });

  it("a runtime without skippy_abi_features confirms nothing and says nothing", () => {
    expect(probeCapabilities(null, everySymbol)).toEqual({
      features: 0n,
      confirmed: 0n,
      confirmedFamilies: [],
      healthMessages: [],
    });
  });

  it("the symbols of a family whose bit is clear are not looked at", () => {
    const asked: string[] = [];
    probeCapabilities(1n << 24n, (name) => {
      asked.push(name);
      return true;
    });
    expect(asked).toEqual(["skippy_model_open_with_events", "skippy_model_open_from_parts_with_events"]);
  });

  it.each(CAPABILITY_FAMILIES.flatMap((family) => family.symbols.map((symbol) => [family.name, symbol] as const)))(
    "%s without %s is disabled alone, with one message that names both",
    (name, missing) => {
      const report = probeCapabilities(ALL_FAMILY_BITS, (symbol) => symbol !== missing);
      const others = CAPABILITY_FAMILIES.filter((family) => family.name !== name).map((family) => family.name);
      expect(report.confirmedFamilies).toEqual(others);
      expect(report.healthMessages).toHaveLength(1);
      expect(report.healthMessages[0]).toContain(`'${name}'`);
      expect(report.healthMessages[0]).toContain(missing);
    },
  );

  it("the bit after the highest known one is reserved; named bits without a family are not", () => {
    expect(probeCapabilities(1n << 41n, noSymbol).healthMessages).toEqual([
      "capability probe: reserved feature bits are set: 0x20000000000",
    ]);
    expect(probeCapabilities((1n << 38n) | (1n << 39n), noSymbol).healthMessages).toEqual([]);
  });

  it("any bits and any symbols: families are independent, messages are bounded, reserved bits disable nothing", () => {
    const symbols = CAPABILITY_FAMILIES.flatMap((family) => family.symbols);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.subarray(symbols), (features, present) => {
        const report = probeCapabilities(features, (name) => present.includes(name));
        const expected = CAPABILITY_FAMILIES.filter(
          (family) =>
            (features >> BigInt(family.bit)) % 2n === 1n && family.symbols.every((symbol) => present.includes(symbol)),
        ).map((family) => family.name);
        expect(report.confirmedFamilies).toEqual(expected);
        const advertised = CAPABILITY_FAMILIES.filter((family) => (features >> BigInt(family.bit)) % 2n === 1n).length;
        const reserved = features >> 41n === 0n ? 0 : 1;
        expect(report.healthMessages).toHaveLength(advertised - expected.length + reserved);
        if (reserved === 1) expect(report.healthMessages[0]).toContain("reserved");
      }),
    );
  });
});
