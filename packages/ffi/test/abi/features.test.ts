import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FEATURE_BITS, KNOWN_FEATURE_BIT_MAX } from "../../src/abi/features.ts";
import { REQUIRED_ABI_VERSION } from "../../src/abi/version.ts";

const header = readFileSync(new URL("../../../../native/abi/skippy/version.h", import.meta.url), "utf8");

function definedInHeader(): Record<string, number> {
  const lines = header.matchAll(/^#define SKIPPY_FEATURE_(\w+)\s+\(\(uint64_t\)1 << (\d+)\)/gm);
  return Object.fromEntries([...lines].map(([, name, bit]) => [name ?? "", Number(bit)]));
}

describe("the feature bits are frozen in one registry", () => {
  it("JavaScript names exactly the bits of the header", () => {
    expect(FEATURE_BITS).toEqual(definedInHeader());
  });

  it("every bit is named once, and the highest is the one the probe takes for known", () => {
    const bits = Object.values(FEATURE_BITS);
    expect(new Set(bits).size).toBe(bits.length);
    expect(Math.max(...bits)).toBe(KNOWN_FEATURE_BIT_MAX);
  });

  it("the event families keep the bits they were renumbered to", () => {
    expect(FEATURE_BITS).toMatchObject({
      BACKEND_DEVICES: 23,
      RUNTIME_EVENTS: 24,
      RUNTIME_EVENT_REPORTER: 31,
      MODEL_LOAD_EVENTS_V2: 32,
      KV_EVENTS: 33,
      DEVICE_EVENTS: 34,
      DIAGNOSTIC_EVENTS: 35,
      UNLOAD_EVENTS: 36,
      NON_CHAT_WORKLOADS: 37,
      LAYA_DECISIONS: 40,
    });
  });

  it("the required version is that of the header", () => {
    const version = ["MAJOR", "MINOR", "PATCH"].map((part) =>
      Number(new RegExp(`SKIPPY_ABI_VERSION_${part} (\\d+)`).exec(header)?.[1]),
    );
    expect(version).toEqual([REQUIRED_ABI_VERSION.major, REQUIRED_ABI_VERSION.minor, REQUIRED_ABI_VERSION.patch]);
  });
});
