import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { FfiError } from "../error.ts";
import { locateAddon } from "../loader.ts";
import { type AbiVersion } from "../abi/version.ts";
import { checkLibraryPaths, toAbiVersion, unwrapLoad } from "./admission.ts";
import { checkInteger } from "./argument.ts";
import { CAPABILITY_FAMILIES, type CapabilityReport, probeCapabilities } from "./capability.ts";
import type { OpenRuntimeOptions } from "./open-runtime.ts";
import { parseProbeAnswer, type ProbeAnswer } from "./probe-answer.ts";

/** How long a probe may take unless told otherwise. */
export const PROBE_MS_DEFAULT = 30_000;

/** How long a probe can be told to take at most. */
export const PROBE_MS_MAX = 600_000;

/** Bytes of an answer; more than that is no answer of ours. */
export const PROBE_ANSWER_BYTES_MAX = 1_048_576;

export interface ProbeInChildOptions extends OpenRuntimeOptions {
  /** Milliseconds after which the child is killed; 1 to {@link PROBE_MS_MAX}. */
  readonly timeoutMs?: number;
}

/** What became of a runtime in a child process. */
export type ChildProbe =
  | {
      readonly kind: "admitted";
      readonly abi: AbiVersion;
      readonly capabilities: CapabilityReport;
    }
  /** `openRuntime` would throw this error. */
  | { readonly kind: "refused"; readonly error: FfiError }
  /** The child died, as this process would have. */
  | { readonly kind: "crashed"; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly kind: "timed-out"; readonly afterMs: number };

/**
 * Loads and admits a runtime in a child process, so that a library that crashes, hangs or exits in a constructor costs a
 * child and not this process. Says nothing about opening a model. The child inherits the environment without `NODE_OPTIONS`.
 *
 * @throws FfiError `RUNTIME_LIBRARIES_EMPTY`, `RUNTIME_LIBRARY_PATH_INVALID`, `ARGUMENT_INVALID`; `PROBE_FAILED` when no child
 *   could be started or its answer could not be read.
 */
export async function probeInChild({
  libraries,
  timeoutMs = PROBE_MS_DEFAULT,
}: ProbeInChildOptions): Promise<ChildProbe> {
  const paths = checkLibraryPaths(libraries);
  checkInteger("timeoutMs", timeoutMs, 1, PROBE_MS_MAX);
  const ended = await runChild(paths, timeoutMs);
  if (ended.timedOut) return { kind: "timed-out", afterMs: timeoutMs };
  if (ended.exitCode !== 0 || ended.answer === "") {
    return { kind: "crashed", exitCode: ended.exitCode, signal: ended.signal };
  }
  return toProbe(parseProbeAnswer(ended.answer), paths);
}

function toProbe({ outcome, features, symbols }: ProbeAnswer, paths: readonly string[]): ChildProbe {
  try {
    const loaded = unwrapLoad(outcome, paths);
    const capabilities = probeCapabilities(features, (name) => symbols.includes(name));
    return { kind: "admitted", abi: toAbiVersion(loaded.abi), capabilities };
  } catch (error) {
    if (error instanceof FfiError) return { kind: "refused", error };
    throw error;
  }
}

// Runs in the child as CommonJS, whatever the package around it says. The answer goes to a descriptor of its own, because a
// constructor may print. Numbers of 64 bits travel as text.
const CHILD_PROGRAM = `
const [addon, libraries, families] = process.argv.slice(1);
const { runtime } = require(addon);
runtime.load(JSON.parse(libraries)).then((outcome) => {
  const features = outcome.kind === "loaded" ? outcome.loaded.features : null;
  const symbols = JSON.parse(families).filter((name) => runtime.hasSymbol(name));
  const answer = JSON.stringify({ outcome, features, symbols }, (key, value) => typeof value === "bigint" ? String(value) : value);
  require("node:fs").writeSync(3, answer);
});
`;

interface ChildEnd {
  readonly answer: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
}

function runChild(paths: readonly string[], timeoutMs: number): Promise<ChildEnd> {
  const symbols = CAPABILITY_FAMILIES.flatMap((family) => family.symbols);
  const parameters = [locateAddon().path, JSON.stringify(paths), JSON.stringify(symbols)];
  // Options for this process, such as a loader or an inspector port, are not for the child. Electron runs as Node.
  const environment: NodeJS.ProcessEnv = { ...process.env, ELECTRON_RUN_AS_NODE: "1" };
  delete environment["NODE_OPTIONS"];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["-e", CHILD_PROGRAM, ...parameters], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: environment,
      windowsHide: true,
    });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    const answer = collect(child.stdio[3]);
    child.on("error", (cause) => {
      clearTimeout(timer);
      reject(
        new FfiError({ code: "PROBE_FAILED", message: `no child process could be started: ${cause.message}`, cause }),
      );
    });
    child.on("close", (exitCode, signal) => {
      clearTimeout(timer);
      resolve({ answer: answer(), exitCode, signal, timedOut });
    });
  });
}

/** Reads a stream up to a bound; the bytes beyond it are dropped, and the answer then is none. */
function collect(stream: unknown): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  // The fourth stdio entry of a child that was spawned with "pipe" there.
  (stream as Readable | null)?.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= PROBE_ANSWER_BYTES_MAX) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString("utf8");
}
