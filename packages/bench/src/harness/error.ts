/**
 * Why a bench did not run:
 *
 * - `BAD_ARGUMENT`: the command line is not understood.
 * - `NO_SUCH_BENCH`: no bench has an id with this prefix.
 * - `ON_TMPFS`: results of a file system in memory would say nothing.
 * - `NOT_BUILT`: the native part of the benches could not be compiled.
 * - `PEER_FAILED`: the other side of a ratio did not do its work, so that the ratio would say nothing.
 * - `BLOCKED`: this machine lacks something that one bench needs. The run goes on and reports it by name.
 */
export type BenchErrorCode = "BAD_ARGUMENT" | "NO_SUCH_BENCH" | "ON_TMPFS" | "NOT_BUILT" | "PEER_FAILED" | "BLOCKED";

/** What a {@link BenchError} is built from. */
export interface BenchErrorFacts {
  readonly code: BenchErrorCode;
  readonly message: string;
  readonly cause?: unknown;
}

/** Every error the benches themselves raise. */
export class BenchError extends Error {
  override readonly name = "BenchError";
  readonly code: BenchErrorCode;

  constructor({ code, message, cause }: BenchErrorFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
