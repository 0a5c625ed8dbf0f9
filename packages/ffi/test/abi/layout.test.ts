import { describe, expect, it } from "vitest";
import {
  LOGIT_BIAS_BYTES,
  RECORD_LAYOUT,
  RUNTIME_CONFIG_LAYOUT,
  SAMPLING_CONFIG_LAYOUT,
  SAMPLING_LOGIT_BIAS_MAX,
} from "../../src/abi/layout.ts";
import { nativeRuntime } from "../../src/runtime/native.ts";

const compiled = nativeRuntime().layouts();

describe("the layouts of JavaScript are those the addon was compiled with", () => {
  it.each([
    ["record", RECORD_LAYOUT],
    ["config", RUNTIME_CONFIG_LAYOUT],
    ["sampling", SAMPLING_CONFIG_LAYOUT],
  ])("%s: size and every offset", (name, layout) => {
    expect(compiled[name]).toEqual(layout);
  });

  it("the bias list fills the rest of a sampling config exactly", () => {
    expect(SAMPLING_CONFIG_LAYOUT.logitBias + SAMPLING_LOGIT_BIAS_MAX * LOGIT_BIAS_BYTES).toBe(
      SAMPLING_CONFIG_LAYOUT.size,
    );
  });
});

// Written down from the specification (1.2, 1.3, 1.6, 1.7) and not from the header, so that the header is checked too.
describe("the addon was compiled with the layouts of ABI 0.1.54", () => {
  it("event: 112 bytes, and 144 with the numeric summaries", () => {
    expect(compiled["event"]).toEqual({
      size: 144,
      abiVersion: 0,
      structSize: 4,
      category: 8,
      kind: 12,
      emitter: 16,
      reserved0: 20,
      sequence: 24,
      timestampMonoNs: 32,
      modelId: 40,
      stageId: 48,
      sessionId: 56,
      progressCurrent: 64,
      progressTotal: 72,
      progressUnit: 80,
      failureCode: 84,
      status: 88,
      reserved1: 92,
      detailPointer: 96,
      detailLength: 104,
      numericSummary0: 112,
      numericSummary1: 120,
      numericSummary2: 128,
      numericSummary3: 136,
    });
  });

  it("reporter, error, device", () => {
    expect(compiled["reporter"]).toEqual({ size: 24, abiVersion: 0, structSize: 4, callback: 8, userData: 16 });
    expect(compiled["error"]).toEqual({ size: 16, status: 0, message: 8 });
    expect(compiled["device"]).toEqual({
      size: 64,
      version: 0,
      name: 8,
      description: 16,
      deviceId: 24,
      memoryFree: 32,
      memoryTotal: 40,
      deviceType: 48,
      capabilities: 56,
    });
  });

  it("the first 96 bytes of a record are those of an event", () => {
    const shared = Object.entries(compiled["event"] ?? {}).filter(([name, offset]) => name !== "size" && offset < 96);
    expect(shared).toHaveLength(17);
    for (const [name, offset] of shared) expect(compiled["record"]?.[name]).toBe(offset);
  });
});
