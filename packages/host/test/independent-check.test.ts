import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { openRuntime, RECORD_BYTES, RECORD_LAYOUT as AT, REPORTER_RECORDS_MAX } from "@mesh/ffi/runtime";
import { embeddedBundleDirectory, readBundle } from "@mesh/llama-runtime";
import { writeSampleModel } from "@mesh/llama-runtime/sample-model";
import { expect, it } from "vitest";
import { inFolder } from "./mesh-command.ts";

const run = promisify(execFile);
const NATIVE = fileURLToPath(new URL("../../../native/", import.meta.url));
const PROMPT = "The capital of France is";
const DECODED_STEPS = 4;
const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** One event without what differs from process to process: timestamps, addresses, and the process-wide sequence. */
interface MaskedEvent {
  readonly abi: number;
  readonly size: number;
  readonly category: number;
  readonly kind: number;
  readonly emitter: number;
  readonly sequence: number;
  readonly stage: number;
  readonly current: number;
  readonly total: number;
  readonly unit: number;
  readonly failure: number;
  readonly status: number;
  readonly n: readonly number[];
  readonly detail: string;
}

type Streams = Readonly<Record<"open" | "global", readonly MaskedEvent[]>>;

/** Compiles the independent program, which knows the runtime by its header alone, and reads what it printed. */
async function seenByTheProgram(folder: string, libraries: readonly string[], model: string): Promise<Streams> {
  const program = join(folder, "abi_check");
  const source = join(NATIVE, "llama-runtime", "test", "abi_check.c");
  await run("cc", ["-std=gnu11", "-O1", "-I", join(NATIVE, "abi"), source, "-o", program, "-ldl", "-lpthread"]);
  const { stdout } = await run(program, [...libraries, "--", model], {
    env: { ...process.env, GGML_NO_BACKTRACE: "1" },
  });
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  const stream = (name: string) =>
    lines
      .filter(isEvent)
      .filter((event) => event.stream === name)
      .map(masked);
  return { open: stream("open"), global: stream("global") };
}

type PrintedEvent = MaskedEvent & { readonly stream: string };

function isEvent(line: unknown): line is PrintedEvent {
  return typeof line === "object" && line !== null && "stream" in line && "kind" in line;
}

function masked({ stream, ...event }: PrintedEvent): MaskedEvent {
  const { abi, size, category, kind, emitter, stage, current, total, unit, failure, status, n, detail } = event;
  const sequence = stream === "open" ? event.sequence : 0;
  return { abi, size, category, kind, emitter, sequence, stage, current, total, unit, failure, status, n, detail };
}

/** Does the same through the host's own way: addon, rings, packed records. */
async function seenByTheHost(libraries: readonly string[], path: string): Promise<Streams> {
  const runtime = await openRuntime({ libraries: [...libraries] });
  await using reporter = await runtime.installReporter();
  const queue = runtime.createModelOpenQueue();
  const model = await runtime.openModel({ path, queue });
  const open = records("open", (buffer, recordsMax) => queue.drainInto(buffer, recordsMax));
  const tokens = await model.tokenize(PROMPT);
  const session = await model.createSession();
  await session.prefill(tokens.subarray(0, -1));
  let token = tokens.at(-1) ?? 0;
  for (let step = 0; step < DECODED_STEPS; step += 1) token = await session.decode(token);
  await session.reset();
  await session.close();
  await model.close();
  const global = records("global", (buffer, recordsMax) => reporter.drainInto(buffer, recordsMax));
  queue.close();
  return { open, global };
}

function records(stream: string, drain: (buffer: Uint8Array, recordsMax: number) => number): MaskedEvent[] {
  const buffer = new Uint8Array(REPORTER_RECORDS_MAX * RECORD_BYTES);
  const count = drain(buffer, REPORTER_RECORDS_MAX);
  return Array.from({ length: count }, (_, index) => {
    const view = new DataView(buffer.buffer, index * RECORD_BYTES, RECORD_BYTES);
    const u32 = (at: number): number => view.getUint32(at, LITTLE_ENDIAN);
    const u64 = (at: number): number => Number(view.getBigUint64(at, LITTLE_ENDIAN));
    const length = view.getUint16(AT.detailLength, LITTLE_ENDIAN);
    return {
      abi: u32(AT.abiVersion),
      size: u32(AT.structSize),
      category: u32(AT.category),
      kind: u32(AT.kind),
      emitter: u32(AT.emitter),
      sequence: stream === "open" ? u64(AT.sequence) : 0,
      stage: u64(AT.stageId),
      current: u64(AT.progressCurrent),
      total: u64(AT.progressTotal),
      unit: u32(AT.progressUnit),
      failure: u32(AT.failureCode),
      status: view.getInt32(AT.status, LITTLE_ENDIAN),
      n: [0, 1, 2, 3].map((number) => u64(AT.numericSummary + number * 8)),
      detail: Buffer.from(buffer.subarray(index * RECORD_BYTES + AT.detail).subarray(0, length)).toString("latin1"),
    };
  });
}

it("the host saw exactly the events that an independent C program sees of the same work", () =>
  inFolder(async (folder) => {
    const { path } = await writeSampleModel({ path: join(folder, "model.gguf"), preset: "tiny" });
    const { libraries } = await readBundle(embeddedBundleDirectory());
    const program = await seenByTheProgram(folder, libraries, path);
    const host = await seenByTheHost(libraries, path);
    expect(program.open.length).toBeGreaterThan(3);
    expect(program.global.length).toBeGreaterThan(3);
    expect(host).toEqual(program);
  }));
