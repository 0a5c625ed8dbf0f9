import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildFaultRuntime, type FaultVariantName, faultRuntimeVariants, openScript } from "../../src/index.ts";
import { buildProbe, runProbe } from "./probe.ts";

let probe: string;
beforeAll(async () => {
  probe = await buildProbe();
});

async function primaryOf(name: FaultVariantName): Promise<string> {
  const primary = (await buildFaultRuntime(name)).libraries.at(-1);
  if (primary === undefined) throw new Error("a variant without a library");
  return primary;
}

const absentIn = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => /^symbol (\S+) absent$/.exec(line)?.[1] ?? []);

describe("a build", () => {
  it("makes every variant, each from its own sources and flags", async () => {
    const builds: string[] = [];
    for (const name of faultRuntimeVariants) builds.push(...(await buildFaultRuntime(name)).libraries);
    expect(faultRuntimeVariants.length).toBeGreaterThanOrEqual(30);
    expect(new Set(builds).size).toBe(builds.length);
    const missing = builds.filter((path) => !existsSync(path));
    expect(missing.map((path) => /missing-library/.test(path))).toEqual([true]);
  }, 300_000);

  it("gives the same folder to builders that run at once, and leaves no half-built one", async () => {
    const paths = await Promise.all(Array.from({ length: 4 }, () => primaryOf("good")));
    expect(new Set(paths).size).toBe(1);
    const folders = await readdir(dirname(dirname(paths[0] ?? "")));
    expect(folders.filter((name) => name.startsWith("good-") && name.includes(".building-"))).toEqual([]);
  });

  it("that the compiler refuses leaves nothing behind", async () => {
    const build = buildFaultRuntime("constructor-slow", { flags: ["-fno-such-flag"] });
    await expect(build).rejects.toMatchObject({ code: "COMPILATION_FAILED" });
    const folders = await readdir(dirname(dirname(await primaryOf("good"))));
    expect(folders.filter((name) => name.startsWith("constructor-slow-") && name.includes(".building-"))).toEqual([]);
  });
});

describe("the load-time facts of a variant", () => {
  it.each([
    ["good", "0.1.54"],
    ["abi-patch-plus-1", "0.1.55"],
    ["abi-patch-minus-1", "0.1.53"],
    ["abi-patch-60", "0.1.60"],
    ["abi-minor-plus-1", "0.2.54"],
    ["abi-major-plus-1", "1.1.54"],
  ] as const)("%s reports ABI %s", async (name, version) => {
    expect((await runProbe(probe, await primaryOf(name))).lines).toContain(`abi ${version}`);
  });

  it.each<[FaultVariantName, string[]]>([
    ["good", ["mesh_cancel_open_v1"]],
    ["cancellable", []],
    ["no-abi-symbol", ["skippy_abi_version", "mesh_cancel_open_v1"]],
    ["missing-required-symbol", ["skippy_tokenize", "mesh_cancel_open_v1"]],
    [
      "missing-three-symbols",
      ["skippy_model_free", "skippy_tokenize", "skippy_backend_device_at", "mesh_cancel_open_v1"],
    ],
    ["no-features", ["skippy_abi_features", "mesh_cancel_open_v1"]],
    ["split-symbols", ["skippy_tokenize", "skippy_detokenize", "skippy_token_is_eog", "mesh_cancel_open_v1"]],
  ])("%s lacks %j", async (name, absent) => {
    expect(absentIn((await runProbe(probe, await primaryOf(name))).lines)).toEqual(absent);
  });

  it.each([
    ["undefined-symbol", /undefined symbol|not found/],
    ["missing-dependency", /fault-dependency/],
    ["not-a-library", /invalid ELF header|not a mach-o/i],
    ["missing-library", /No such file|no such file/],
  ] as const)("%s is refused by the system", async (name, reason) => {
    const report = await runProbe(probe, await primaryOf(name));
    expect(report).toMatchObject({ exitCode: 1 });
    expect(report.lines[0]).toMatch(reason);
  });

  it("a library cut in its middle kills the process that loads it: only a check of its digest comes in time", async () => {
    expect((await runProbe(probe, await primaryOf("truncated-library"))).signal).toMatch(/SIGBUS|SIGSEGV/);
  });

  it("a constructor can crash or end the process that loads it", async () => {
    expect((await runProbe(probe, await primaryOf("constructor-crash"))).signal).toBe("SIGSEGV");
    expect((await runProbe(probe, await primaryOf("constructor-exit"))).exitCode).toBe(7);
  });
});

describe("a scripted open", () => {
  const open = async (name: FaultVariantName, path: string): Promise<string[]> =>
    (await runProbe(probe, await primaryOf(name), path)).lines.filter((line) => !/^(symbol|abi|features)/.test(line));

  it("is well-behaved without a script: started first, progress rising, finished last, unload through the process", async () => {
    const lines = await open("good", "/models/any.gguf");
    const kinds = lines.flatMap((line) => /^event open .* kind=(\d+)/.exec(line)?.[1] ?? []);
    expect(kinds).toEqual(["1", ...Array.from({ length: 10 }, () => "2"), "3", "100", "103", "4"]);
    expect(lines).toEqual(expect.arrayContaining(["status 0", "model handle", "message no error"]));
    expect(lines.flatMap((line) => /^event process .* kind=(\d+)/.exec(line)?.[1] ?? [])).toEqual(["500", "501"]);
  });

  it("sends raw events field by field, malformed ones included", async () => {
    const lines = await open(
      "good",
      openScript([
        { step: "event", fields: { kind: 9999, category: 77, status: -5, sequence: 2n ** 64n - 1n } },
        { step: "event", fields: { size: 8 } },
        { step: "event", fields: { size: 160, abi: 2, fill: 300 } },
        { step: "event", fields: { nullDetail: true, length: 2n ** 64n - 1n } },
        { step: "null-event", count: 1 },
        { step: "return", value: "null-handle" },
      ]),
    );
    expect(lines.slice(1)).toEqual([
      "event open abi=1 size=144 kind=9999 category=77 sequence=18446744073709551615 status=-5 failure=0 current=0 detail_len=0 detail_null=0",
      "event open abi=1 size=8",
      "event open abi=2 size=160 kind=2 category=1 sequence=3 status=0 failure=0 current=0 detail_len=300 detail_null=0",
      "event open abi=1 size=144 kind=2 category=1 sequence=4 status=0 failure=0 current=0 detail_len=18446744073709551615 detail_null=1",
      "event open null",
      "status 0",
      "model null",
      "message no error",
    ]);
  });

  it("fails as it says, with the same message in the event's length and in the error", async () => {
    const lines = await open("good", openScript([{ step: "fail", count: 5 }]));
    expect(lines.slice(1)).toEqual([
      "event open abi=1 size=144 kind=5 category=1 sequence=1 status=5 failure=2 current=0 detail_len=26 detail_null=0",
      "status 5",
      "model null",
      "message failed to load llama model",
    ]);
  });

  it("sends from several threads, none missing and none twice", async () => {
    const lines = await open("good", openScript([{ step: "threads", fields: { threads: 8, countPerThread: 25 } }]));
    const sequences = lines.flatMap((line) => /^event open .* sequence=(\d+)/.exec(line)?.[1] ?? []);
    expect(sequences.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  });

  it("refuses a step it does not know, so that a misspelt test cannot pass", async () => {
    const lines = await open("good", "/fault/script:startd");
    expect(lines).toContain("message the script has an unknown step: startd");
  });

  it("reports the families through the process-wide reporter on demand", async () => {
    const lines = await open(
      "good",
      openScript([
        { step: "emit", fields: { family: "load", kind: 101, number: 7, detail: "KV; cache, 1" } },
        { step: "emit", fields: { family: "kv", kind: 201 } },
        { step: "emit", fields: { family: "device", kind: 305, detail: "gone" } },
        { step: "emit", fields: { family: "diagnostic", kind: 403, number: 7 } },
        { step: "emit", fields: { family: "unload", kind: 503 } },
      ]),
    );
    const events = lines.flatMap(
      (line) => /^event process .* kind=(\d+) category=(\d+) .* detail_len=(\d+)/.exec(line) ?? [],
    );
    expect(events.filter((part) => /^\d+$/.test(part)).join(" ")).toBe(
      "101 1 12 201 4 0 305 6 4 403 7 0 503 8 0 500 8 0 501 8 0",
    );
  });
});
