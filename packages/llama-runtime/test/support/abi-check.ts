import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { z } from "zod";
import { readBundle } from "../../src/bundle/read-bundle.ts";
import { embeddedBundleDirectory } from "../../src/embedded.ts";

const count = z.number();
const event = z.object({
  stream: z.enum(["open", "global"]),
  abi: count,
  size: count,
  category: count,
  kind: count,
  emitter: count,
  sequence: count,
  timestamp: count,
  model: count,
  stage: count,
  session: count,
  current: count,
  total: count,
  unit: count,
  failure: count,
  status: count,
  n: z.array(count),
  detail: z.string(),
});
const call = z.object({ call: z.string(), status: count, value: count, error: z.string() });
const admission = z.object({ abi: z.string(), features: z.string() });
const tally = z.object({
  callbacks: z.object({ open: count, global: count }),
  late: z.object({ open: count, global: count }),
});
const line = z.union([event, call, admission, tally]);

export type CheckedEvent = z.infer<typeof event>;
export type CheckedCall = z.infer<typeof call>;

/** What abi_check.c saw: all its lines in order, and the same sorted by what they are. */
export interface AbiCheck {
  readonly lines: readonly z.infer<typeof line>[];
  readonly open: readonly CheckedEvent[];
  readonly global: readonly CheckedEvent[];
  readonly calls: readonly CheckedCall[];
  readonly late: { readonly open: number; readonly global: number };
  call(name: string): CheckedCall;
}

/** Verified once per test file; hashing 25 MB before each of many short programs would be most of their time. */
let bundle: ReturnType<typeof readBundle> | undefined;

export interface ProgramLimits {
  readonly environment?: NodeJS.ProcessEnv;
  /** Size of the address space in KiB, as of `ulimit -v`; unlimited when absent. */
  readonly addressSpaceKb?: number;
}

/** Runs a C program with the libraries of the embedded bundle, in load order; it must exit with status 0. */
export async function runProgram(
  name: string,
  options: readonly string[],
  words: readonly string[],
  limits: ProgramLimits = {},
): Promise<{ stdout: string; stderr: string }> {
  const { libraries } = await (bundle ??= readBundle(embeddedBundleDirectory()));
  const command = [join(inject("programs"), name), ...options, ...libraries, "--", ...words];
  const limit = limits.addressSpaceKb === undefined ? "" : `ulimit -v ${limits.addressSpaceKb};`;
  return await promisify(execFile)("sh", ["-c", `${limit} exec "$@"`, "sh", ...command], {
    env: limits.environment ?? process.env,
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** Opens models with the independent program and returns all it printed. */
export async function abiCheck(
  options: readonly string[],
  models: readonly string[],
  limits: ProgramLimits = {},
): Promise<AbiCheck> {
  const { stdout } = await runProgram("abi_check", options, models, limits);
  const lines = stdout
    .trim()
    .split("\n")
    .map((text) => line.parse(JSON.parse(text)));
  const events = lines.filter((entry): entry is CheckedEvent => "stream" in entry);
  const calls = lines.filter((entry): entry is CheckedCall => "call" in entry);
  const last = tally.parse(lines.at(-1));
  return {
    lines,
    open: events.filter((entry) => entry.stream === "open"),
    global: events.filter((entry) => entry.stream === "global"),
    calls,
    late: last.late,
    call: (name) => {
      const found = calls.find((entry) => entry.call === name);
      if (found === undefined) throw new Error(`the program made no call ${name}`);
      return found;
    },
  };
}
