import { type SimulatedDisk, SimulatedProcess, SimulatedSystemError } from "@mesh/testkit/simulated-disk";
import type { Effect, Steps } from "../../src/effects.ts";
import { type Interpreter, performEffect, Run, runBlocking } from "../../src/interpreters/run.ts";
import { createSimulatedInterpreter, OWNER } from "./interpreter.ts";

/** How one process runs one algorithm. */
export interface AttemptOptions {
  readonly umask: number;
  /** Dies after this many effects; never when undefined. */
  readonly dieAfter?: number | undefined;
  /** The sync that fails, by the number of syncs before it; none when undefined. */
  readonly failSync?: number | undefined;
  /** Syncs that are left out, to show what they are needed for. */
  readonly leaveOut?: ((effect: Effect, before: readonly Effect[]) => boolean) | undefined;
}

/** What came of it. */
export type AttemptResult<T> =
  | { readonly kind: "returned"; readonly value: T; readonly effects: readonly Effect[] }
  | { readonly kind: "failed"; readonly error: unknown; readonly effects: readonly Effect[] }
  | { readonly kind: "died"; readonly effects: readonly Effect[] };

class Death extends Error {}

/** Time is simulated: whoever waits for another process has waited long enough, since none is alive. */
function passAtOnce(): void {
  // Nothing: the next step comes at once.
}

/** Runs an algorithm on a simulated disk as a process that may die between any two effects. */
export function attempt<T>(disk: SimulatedDisk, steps: Steps<T>, options: AttemptOptions): AttemptResult<T> {
  const process = new SimulatedProcess(disk, {
    name: "process",
    owner: OWNER,
    umask: options.umask,
    writeBytesMax: 2,
  });
  const effects: Effect[] = [];
  const dieIfItIsTime = (): void => {
    if (effects.length === options.dieAfter) {
      throw new Death();
    }
  };
  const interpreter = faulty(createSimulatedInterpreter(disk, process), process, options, effects);
  try {
    dieIfItIsTime();
    const run = new Run(steps, interpreter, dieIfItIsTime);
    return { kind: "returned", value: runBlocking(run, undefined, passAtOnce), effects };
  } catch (error) {
    return error instanceof Death ? { kind: "died", effects } : { kind: "failed", error, effects };
  } finally {
    process.die();
  }
}

function faulty(real: Interpreter, process: SimulatedProcess, options: AttemptOptions, effects: Effect[]): Interpreter {
  const method = (effect: Effect): never => {
    const isSync = effect.kind === "syncFile" || effect.kind === "syncDirectory";
    const leftOut = options.leaveOut?.(effect, effects) ?? false;
    const fails = isSync && effects.filter(({ kind }) => kind.startsWith("sync")).length === options.failSync;
    effects.push(effect);
    if (fails) {
      if (effect.kind === "syncFile") {
        process.failToSyncFile(effect.handle);
      } else {
        process.failToSyncDirectory(effect.directory);
      }
      throw new SimulatedSystemError("EIO", "fsync", effect.kind);
    }
    // Interpreter promises for each kind that the result is the one of that kind; what is left out returns undefined.
    return (leftOut ? undefined : performEffect(real, effect)) as never;
  };
  return Object.fromEntries(Object.keys(real).map((kind) => [kind, method])) as unknown as Interpreter;
}
