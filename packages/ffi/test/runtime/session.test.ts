import { buildFaultRuntime, openScript, type OpenStep } from "@mesh/testkit";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Model } from "../../src/runtime/model.ts";
import { openRuntime } from "../../src/runtime/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Session } from "../../src/runtime/session.ts";
import { drainAll } from "./records.ts";

const END = 256;

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime(await buildFaultRuntime("cancellable"));
});

async function open(steps: readonly OpenStep[]): Promise<{ model: Model; session: Session }> {
  const model = await runtime.openModel({ path: openScript(steps) });
  return { model, session: await model.createSession() };
}

/** The text with every lone surrogate replaced by U+FFFD, as UTF-8 does it. */
function wellFormed(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

async function textOf(pieces: AsyncIterable<string>): Promise<string[]> {
  const collected: string[] = [];
  for await (const piece of pieces) collected.push(piece);
  return collected;
}

/** The unload events among some records, in their order. */
function unloadsOf(records: readonly { readonly kind: number }[]): number[] {
  return records.map(({ kind }) => kind).filter((kind) => kind >= 500);
}

describe("tokens and text", () => {
  it("any text goes to tokens and back", async () => {
    await using model = await runtime.openModel({ path: openScript([]) });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 400 }), async (text) => {
        // A lone surrogate is no character and becomes U+FFFD on its way, as everywhere in UTF-8.
        const expected = wellFormed(text);
        if (text.includes("\0")) {
          await expect(model.tokenize(text)).rejects.toMatchObject({ code: "ARGUMENT_INVALID" });
          return;
        }
        const tokens = await model.tokenize(text, { addSpecial: false });
        expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(await model.detokenize(tokens))).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  it("a token beyond 32 bits is refused", async () => {
    await using model = await runtime.openModel({ path: openScript([]) });
    await expect(model.detokenize([2 ** 31])).rejects.toMatchObject({ code: "ARGUMENT_INVALID" });
    await expect(model.isEndOfGeneration(0.5)).rejects.toMatchObject({ code: "ARGUMENT_INVALID" });
    expect(await model.isEndOfGeneration(END)).toBe(true);
  });
});

describe("a generation", () => {
  it("is right across token boundaries in UTF-8: no piece cuts a character", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), async (text) => {
        fc.pre(!text.includes("\0") && text === wellFormed(text));
        const { model, session } = await open([{ step: "text", value: text }]);
        const pieces = await textOf(session.generate(await model.tokenize("go")));
        expect(pieces.join("")).toBe(text);
        expect(pieces.every((piece) => piece === wellFormed(piece) && !piece.includes("\uFFFD"))).toBe(true);
        await session.close();
        await model.close();
      }),
      { numRuns: 40 },
    );
  });

  it("ends with U+FFFD when the last token leaves a character unfinished", async () => {
    const { session } = await open([{ step: "text", value: Uint8Array.from([0x61, 0xe2, 0x82]) }]);
    expect((await textOf(session.generate([1]))).join("")).toBe("a\uFFFD");
  });

  it("stops at the end of generation, which adds no text", async () => {
    const { session } = await open([{ step: "text", value: "ab" }]);
    const tokens: number[] = [];
    await textOf(session.generate([1], { onToken: (token) => tokens.push(token) }));
    expect(tokens).toEqual([97, 98, END]);
  });

  it("stops after tokensMax", async () => {
    const { session } = await open([{ step: "endless" }, { step: "text", value: "ab" }]);
    const tokens: number[] = [];
    await textOf(session.generate([1], { tokensMax: 5, onToken: (token) => tokens.push(token) }));
    expect(tokens).toHaveLength(5);
  });

  it("decodes nothing that nobody asked for, and a break leaves the session usable", async () => {
    const { session } = await open([{ step: "endless" }, { step: "text", value: "abcdef" }]);
    const tokens: number[] = [];
    for await (const piece of session.generate([1], { onToken: (token) => tokens.push(token) })) {
      expect(tokens).toHaveLength(1);
      expect(piece).toBe("a");
      break;
    }
    expect(tokens).toHaveLength(1);
    await session.reset();
    expect(session.position).toBe(0);
    expect(await session.decode(1)).toBe(97);
  });

  it("greedy passes no sampling, and given options arrive", async () => {
    const { session } = await open([{ step: "echo-sampling" }]);
    expect(await session.decode(1)).toBe(END);
    expect(await session.decode(1, { topK: 40, temperature: 0.7, seed: 1 })).toBe(40);
  });

  it.each([
    { temperature: -1 },
    { temperature: Number.POSITIVE_INFINITY },
    { topP: 1.1 },
    { topK: -1 },
    { minP: Number.NaN },
    { seed: 2 ** 32 },
    { logitBias: new Map(Array.from({ length: 257 }, (_, token) => [token, 1] as const)) },
  ])("sampling %j is refused", async (sampling) => {
    const { session } = await open([]);
    await expect(session.decode(1, sampling)).rejects.toMatchObject({ code: "ARGUMENT_INVALID" });
    expect(session.position).toBe(0);
  });

  it("a full context is the runtime's error, with its status", async () => {
    const { session } = await open([{ step: "context", count: 4 }, { step: "endless" }]);
    await session.prefill([1, 2, 3, 4]);
    await expect(session.decode(5)).rejects.toMatchObject({ code: "RUNTIME_CALL_FAILED" });
  });
});

describe("a session's position", () => {
  it("is what the runtime says after every call: prefill, decode, reset", async () => {
    const { model, session } = await open([{ step: "endless" }]);
    expect(session.position).toBe(0);
    await session.prefill([1, 2, 3]);
    expect(session.position).toBe(3);
    await session.decode(4);
    expect(session.position).toBe(4);
    await session.reset();
    expect(session.position).toBe(0);
    await session.close();
    await model.close();
  });
});

describe("models and sessions are closed in any order", () => {
  it("a session keeps its model, which is freed with the last one", async () => {
    const reporter = await runtime.installReporter();
    const { model, session } = await open([{ step: "text", value: "ab" }]);
    await model.close();
    expect(await session.decode(1)).toBe(97);
    expect(unloadsOf(drainAll(reporter))).toEqual([]);
    await session.close();
    expect(unloadsOf(drainAll(reporter))).toEqual([500, 501]);
    await reporter.clear();
  });

  it("close waits for the calls that run", async () => {
    const { model, session } = await open([{ step: "decode-sleep", count: 30 }, { step: "endless" }]);
    const settled: string[] = [];
    const decodes = [1, 2, 3].map((token) => session.decode(token).then(() => settled.push(`decode ${token}`)));
    await session.close();
    settled.push("closed");
    await Promise.all(decodes);
    expect(settled).toEqual(["decode 1", "decode 2", "decode 3", "closed"]);
    await model.close();
  });

  it("use after close is an error, and closing twice is one closing", async () => {
    const { model, session } = await open([]);
    await Promise.all([session.close(), session.close()]);
    await Promise.all([model.close(), model.close()]);
    await expect(session.decode(1)).rejects.toMatchObject({ code: "SESSION_CLOSED" });
    await expect(session.prefill([1])).rejects.toMatchObject({ code: "SESSION_CLOSED" });
    await expect(session.reset()).rejects.toMatchObject({ code: "SESSION_CLOSED" });
    await expect(model.tokenize("a")).rejects.toMatchObject({ code: "MODEL_CLOSED" });
    await expect(model.createSession()).rejects.toMatchObject({ code: "MODEL_CLOSED" });
  });

  it("both are disposable, at once and awaited", async () => {
    let escaped: Session;
    {
      await using model = await runtime.openModel({ path: openScript([]) });
      using session = await model.createSession();
      escaped = session;
    }
    await expect(escaped.decode(1)).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  });

  it("a session that cannot be made is the runtime's error", async () => {
    await using model = await runtime.openModel({ path: openScript([{ step: "session-fail", count: 7 }]) });
    await expect(model.createSession()).rejects.toMatchObject({
      code: "RUNTIME_CALL_FAILED",
      facts: { statusName: "RUNTIME_ERROR" },
    });
  });
});

describe("devices", () => {
  it("u64 memory sizes are exact", async () => {
    const devices = await runtime.listDevices();
    expect(devices.map(({ name, kind }) => ({ name, kind }))).toEqual([
      { name: "CPU", kind: "cpu" },
      { name: "FAULT0", kind: "gpu" },
    ]);
    expect(devices[1]).toMatchObject({ memoryFreeBytes: 2n ** 53n + 1n, memoryTotalBytes: 2n ** 64n - 1n });
  });
});
