import { buildFaultRuntime, type FaultVariantName } from "@mesh/testkit";
import { describe, expect, it } from "vitest";
import { type AdmissionDifference, RUNTIME_LIBRARIES_MAX } from "../../src/runtime/admission.ts";
import type { CapabilityFamilyName } from "../../src/runtime/capability.ts";
import { openRuntime } from "../../src/runtime/open-runtime.ts";
import { type ChildProbe, probeInChild } from "../../src/runtime/probe-in-child.ts";

/** What the scripted runtime confirms when nothing is wrong with it, in the order of the probe. */
const EVENT_FAMILIES: readonly CapabilityFamilyName[] = [
  "runtime_events",
  "runtime_event_reporter",
  "model_load_events_v2",
  "kv_events",
  "device_events",
  "diagnostic_events",
  "unload_events",
];

async function probe(variant: FaultVariantName, timeoutMs?: number): Promise<ChildProbe> {
  const { libraries } = await buildFaultRuntime(variant);
  return probeInChild({ libraries, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
}

async function refusal(variant: FaultVariantName): Promise<{ code: string; differences: AdmissionDifference[] }> {
  const outcome = await probe(variant);
  if (outcome.kind !== "refused") throw new Error(`expected a refusal, found ${outcome.kind}`);
  // The facts of an admission error, as admission.ts makes them.
  return { code: outcome.error.code, differences: outcome.error.facts["differences"] as AdmissionDifference[] };
}

describe("a list of libraries is checked before any of them is touched", () => {
  it.each([
    ["an empty list", [], "RUNTIME_LIBRARIES_EMPTY"],
    ["one library too many", Array<string>(RUNTIME_LIBRARIES_MAX + 1).fill("/nowhere"), "RUNTIME_LIBRARIES_EMPTY"],
    ["a relative path", ["libfault.so"], "RUNTIME_LIBRARY_PATH_INVALID"],
    ["a path with a NUL", ["/tmp/lib\0fault.so"], "RUNTIME_LIBRARY_PATH_INVALID"],
  ])("%s", async (_, libraries, code) => {
    await expect(openRuntime({ libraries })).rejects.toMatchObject({ code });
    await expect(probeInChild({ libraries })).rejects.toMatchObject({ code });
  });
});

describe("a runtime is admitted by its exact ABI", () => {
  it("the required version is admitted, with what it confirms", async () => {
    expect(await probe("good")).toMatchObject({
      kind: "admitted",
      abi: { major: 0, minor: 1, patch: 54 },
      capabilities: { healthMessages: [] },
    });
  });

  it.each([
    ["abi-patch-plus-1", [0, 1, 55]],
    ["abi-patch-minus-1", [0, 1, 53]],
    ["abi-patch-60", [0, 1, 60]],
    ["abi-minor-plus-1", [0, 2, 54]],
    ["abi-major-plus-1", [1, 1, 54]],
  ] as const)("%s is refused, naming library, found and required", async (variant, found) => {
    const { libraries } = await buildFaultRuntime(variant);
    expect(await refusal(variant)).toEqual({
      code: "RUNTIME_ABI_MISMATCH",
      differences: [{ kind: "abi-version", library: libraries.at(-1), found, required: [0, 1, 54] }],
    });
  });

  it("all differences are in one error, and another version is called that and not a missing symbol", async () => {
    const { code, differences } = await refusal("abi-and-symbols");
    expect(code).toBe("RUNTIME_ABI_MISMATCH");
    expect(differences.map((difference) => difference.kind)).toEqual(["abi-version", "symbol-missing"]);
  });

  it("every missing required symbol is named", async () => {
    expect(await refusal("missing-three-symbols")).toEqual({
      code: "RUNTIME_SYMBOLS_MISSING",
      differences: ["skippy_model_free", "skippy_tokenize", "skippy_backend_device_at"].map((symbol) => ({
        kind: "symbol-missing",
        symbol,
      })),
    });
  });

  it("a library without skippy_abi_version is no runtime", async () => {
    expect((await refusal("no-abi-symbol")).code).toBe("RUNTIME_ABI_SYMBOL_MISSING");
  });

  it.each<[FaultVariantName, { readonly off: readonly CapabilityFamilyName[]; readonly messages: readonly RegExp[] }]>([
    ["no-features", { off: EVENT_FAMILIES, messages: [] }],
    ["features-zero", { off: EVENT_FAMILIES, messages: [] }],
    ["events-bit-clear", { off: ["runtime_events"], messages: [] }],
    ["reporter-bit-clear", { off: ["runtime_event_reporter"], messages: [] }],
    ["named-bits", { off: [], messages: [] }],
    ["reserved-bits", { off: [], messages: [/reserved.*0x7000000000000000/] }],
    ["family-without-symbol", { off: ["kv_events"], messages: [/skippy_emit_kv_event/] }],
    ["events-without-single-open", { off: ["runtime_events"], messages: [/skippy_model_open_with_events/] }],
    ["events-without-parts-open", { off: ["runtime_events"], messages: [/skippy_model_open_from_parts_with_events/] }],
    ["reporter-without-set", { off: ["runtime_event_reporter"], messages: [/skippy_set_runtime_event_reporter/] }],
    ["reporter-without-clear", { off: ["runtime_event_reporter"], messages: [/skippy_clear_runtime_event_reporter/] }],
    ["workloads-without-symbols", { off: ["non_chat_workloads"], messages: [/non_chat_workloads/] }],
  ])("%s costs exactly its own families and never admission", async (variant, { off, messages }) => {
    const outcome = await probe(variant);
    if (outcome.kind !== "admitted") throw new Error(`expected admission, found ${outcome.kind}`);
    const { confirmedFamilies, healthMessages } = outcome.capabilities;
    expect(confirmedFamilies).toEqual(EVENT_FAMILIES.filter((family) => !off.includes(family)));
    expect(healthMessages).toHaveLength(messages.length);
    messages.forEach((message, index) => {
      expect(healthMessages[index]).toMatch(message);
    });
  });
});

describe("libraries are opened in order and searched backwards", () => {
  it("symbols may be spread over several", async () => {
    expect((await probe("split-symbols")).kind).toBe("admitted");
  });

  it("the last library that has a symbol counts", async () => {
    expect((await probe("shadowed-abi")).kind).toBe("admitted");
    const { libraries } = await buildFaultRuntime("shadowed-abi");
    const backwards = await probeInChild({ libraries: [...libraries].reverse() });
    expect(backwards.kind === "refused" && backwards.error.code).toBe("RUNTIME_ABI_MISMATCH");
  });

  it("a dependency in the same folder is found", async () => {
    expect((await probe("with-dependency")).kind).toBe("admitted");
  });

  it("a missing dependency is named, and is not taken for the library itself", async () => {
    const { code, differences } = await refusal("missing-dependency");
    expect(code).toBe("RUNTIME_LIBRARY_NOT_OPENED");
    expect(differences).toMatchObject([
      { kind: "library-not-opened", missingDependency: "libfault-dependency.so", errno: null },
    ]);
  });

  it("a missing library keeps its own errno", async () => {
    expect((await refusal("missing-library")).differences).toMatchObject([{ missingDependency: null, errno: 2 }]);
  });

  it("each is bound to itself and to what it needs, and lends its symbols to no other", async () => {
    const { code, differences } = await refusal("needs-global-binding");
    expect(code).toBe("RUNTIME_LIBRARY_NOT_OPENED");
    const { libraries } = await buildFaultRuntime("needs-global-binding");
    expect(differences).toMatchObject([{ kind: "library-not-opened", library: libraries.at(-1) }]);
  });

  it.each(["not-a-library", "undefined-symbol"] as const)(
    "%s is refused with the words of the system",
    async (variant) => {
      const { code, differences } = await refusal(variant);
      expect(code).toBe("RUNTIME_LIBRARY_NOT_OPENED");
      expect(differences).toMatchObject([{ kind: "library-not-opened", errno: null, missingDependency: null }]);
      expect(differences[0]?.kind === "library-not-opened" && differences[0].systemError.length).toBeGreaterThan(10);
    },
  );
});

describe("what would kill this process kills a child instead", () => {
  it("a crash in a constructor", async () => {
    expect(await probe("constructor-crash")).toMatchObject({ kind: "crashed" });
  });

  it("an exit in a constructor", async () => {
    expect(await probe("constructor-exit")).toMatchObject({ kind: "crashed", signal: null });
  });

  it("a library that was cut", async () => {
    expect((await probe("truncated-library")).kind).not.toBe("admitted");
  });

  it("what a constructor does to its process it does to the child", async () => {
    expect((await probe("constructor-setenv")).kind).toBe("admitted");
    // Node reads the environment that the C library keeps: a constructor run in this process would show here.
    expect(process.env["MESH_FAULT_RUNTIME_LOADED"]).toBeUndefined();
  });

  it("a constructor that takes too long", async () => {
    expect(await probe("constructor-slow", 50)).toEqual({ kind: "timed-out", afterMs: 50 });
  });
});
