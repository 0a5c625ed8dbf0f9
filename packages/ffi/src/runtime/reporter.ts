import { threadId } from "node:worker_threads";
import { FfiError } from "../error.ts";
import { checkCString } from "./argument.ts";
import type { CapabilityReport } from "./capability.ts";
import { type RingCounters, readCounters } from "./counters.ts";
import { nativeRuntime } from "./native.ts";
import { checkDrainRoom } from "./queue.ts";

/** Records the process-wide ring holds (spec 4.5). */
export const REPORTER_RECORDS_MAX = 1_024;

export interface ReporterOptions {
  /** How another part of the process is told who owns the reporter; by default the process and thread number. */
  readonly owner?: string;
}

/**
 * The process-wide reporter, held by one owner. Its ring and counters belong to the process and live as long: what a cleared
 * reporter left undrained is there for the next.
 */
export class RuntimeReporter implements AsyncDisposable {
  readonly owner: string;
  readonly #generation: number;
  #clearing: Promise<void> | undefined;

  /** @internal Use `Runtime.installReporter`. */
  constructor(owner: string, generation: number) {
    this.owner = owner;
    this.#generation = generation;
  }

  /**
   * Moves up to `recordsMax` records, oldest first, into `buffer` as packed 392-byte records. Also after `clear`, until
   * somebody else installs.
   *
   * @throws FfiError `REPORTER_REPLACED`; `ARGUMENT_INVALID` when the buffer has no room for `recordsMax` records.
   */
  drainInto(buffer: Uint8Array, recordsMax: number): number {
    checkDrainRoom(buffer, recordsMax);
    const drained = nativeRuntime().drainReporter(this.#generation, buffer, recordsMax);
    if (drained < 0) {
      throw new FfiError({
        code: "REPORTER_REPLACED",
        message: `the reporter of ${this.owner} was cleared and replaced; the ring is drained by its new owner.`,
        owner: nativeRuntime().reporterOwner(),
      });
    }
    return drained;
  }

  /** The counters of the process-wide ring; they go on over all its owners. */
  counters(): RingCounters {
    return readCounters((raw) => {
      nativeRuntime().readReporterCounters(raw);
    });
  }

  /** Takes the reporter out of the runtime and resolves when no callback runs any more. Clearing again is the same. */
  clear(): Promise<void> {
    this.#clearing ??= this.#clear();
    return this.#clearing;
  }

  async #clear(): Promise<void> {
    await nativeRuntime().clearReporter(this.#generation);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clear();
  }
}

/** @internal */
export async function installReporter(
  capabilities: CapabilityReport,
  { owner = `process ${process.pid}, thread ${threadId}` }: ReporterOptions = {},
): Promise<RuntimeReporter> {
  checkCString("owner", owner);
  if (!capabilities.confirmedFamilies.includes("runtime_event_reporter")) throw unsupported();
  const outcome = await nativeRuntime().installReporter(owner);
  switch (outcome.kind) {
    case "installed":
      return new RuntimeReporter(owner, outcome.generation);
    case "owned":
      throw new FfiError({
        code: "REPORTER_OWNED",
        message: `the reporter of this process belongs to ${outcome.owner}; it has one owner, who must clear it first.`,
        owner: outcome.owner,
      });
    case "refused":
      throw new FfiError({
        code: "REPORTER_REFUSED",
        message: `the runtime refused the reporter with status ${outcome.status}.`,
        status: outcome.status,
      });
    case "unsupported":
      throw unsupported();
    case "threw":
      throw new FfiError({
        code: "RUNTIME_THREW",
        message: `the runtime threw a C++ exception while the reporter was installed: ${outcome.message}`,
      });
    case "exiting":
      throw new FfiError({ code: "RUNTIME_EXITING", message: "no reporter is installed while the process exits." });
    case "no-thread":
      throw new FfiError({
        code: "RUNTIME_THREAD_UNAVAILABLE",
        message: `the system gave no thread to install the reporter on (${outcome.message}).`,
      });
    default:
      return unreachable(outcome);
  }
}

function unsupported(): FfiError {
  return new FfiError({
    code: "REPORTER_UNSUPPORTED",
    message: "this runtime does not confirm the family runtime_event_reporter (feature bit 31 and both its symbols).",
  });
}

function unreachable(outcome: never): never {
  throw new Error(`the addon reported something of an unknown kind: ${JSON.stringify(outcome)}`);
}
