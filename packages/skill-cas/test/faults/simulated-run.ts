import {
  type SimulatedDisk,
  type SimulatedErrnoName,
  SimulatedProcess,
  SimulatedSystemError,
} from "@mesh/testkit/simulated-disk";
import type { Effect, Steps } from "../../src/effects.ts";
import { SkillCasError } from "../../src/error.ts";
import { type Interpreter, performEffect, Run, runBlocking } from "../../src/interpreters/run.ts";
import { createSimulatedInterpreter, OWNER } from "../simulation/interpreter.ts";

/** What a process on a faulty disk comes to. Any other error than SkillCasError is a mistake and is thrown on. */
export type Attempted<T> =
  | { readonly kind: "returned"; readonly value: T; readonly effects: readonly Effect[] }
  | { readonly kind: "failed"; readonly error: SkillCasError; readonly effects: readonly Effect[] };

/** Says which errno an effect fails with, by its place in the run, counted from 0. */
export type SimulatedFault = (effect: Effect, index: number) => SimulatedErrnoName | undefined;

/** System calls by effect, as the addon names them. */
export const SYSTEM_CALLS: Readonly<Record<Effect["kind"], string>> = {
  create: "openat",
  setMode: "fchmod",
  write: "pwrite",
  syncFile: "fsync",
  link: "linkat",
  rename: "renameat2",
  unlink: "unlinkat",
  syncDirectory: "fsync",
  makeDirectory: "mkdirat",
  createLock: "openat",
  lock: "flock",
  removeLock: "unlinkat",
  stat: "fstatat",
  statHandle: "fstat",
  statRoot: "lstat",
  open: "openat",
  openDirectory: "openat",
  read: "pread",
  dropCachedPages: "posix_fadvise",
  startWriteback: "sync_file_range",
  list: "getdents64",
  close: "close",
};

/**
 * Runs one algorithm as a process of its own. An effect that is told to fail is not performed; a sync that fails forgets
 * what it should have written, as the kernel does. Time passes at once.
 */
export function runFaulty<T>(
  disk: SimulatedDisk,
  steps: Steps<T>,
  fault: SimulatedFault,
  writeBytesMax = 2,
): Attempted<T> {
  const process = new SimulatedProcess(disk, { name: "process", owner: OWNER, umask: 0o277, writeBytesMax });
  const real = createSimulatedInterpreter(disk, process);
  const effects: Effect[] = [];
  const method = (effect: Effect): never => {
    const errno = fault(effect, effects.length);
    effects.push(effect);
    if (errno !== undefined) {
      if (effect.kind === "syncFile") process.failToSyncFile(effect.handle);
      if (effect.kind === "syncDirectory") process.failToSyncDirectory(effect.directory);
      // A close that reports an error has closed all the same.
      if (effect.kind === "close") process.close(effect.handle);
      throw new SimulatedSystemError(errno, SYSTEM_CALLS[effect.kind], "name" in effect ? effect.name : "");
    }
    // Interpreter promises for each kind that the result is the one of that kind.
    return performEffect(real, effect) as never;
  };
  const interpreter = Object.fromEntries(Object.keys(real).map((kind) => [kind, method])) as unknown as Interpreter;
  try {
    return { kind: "returned", value: runBlocking(new Run(steps, interpreter), undefined, () => undefined), effects };
  } catch (error) {
    if (error instanceof SkillCasError) return { kind: "failed", error, effects };
    throw error;
  } finally {
    process.die();
  }
}

/** Nothing fails. */
export const NO_FAULT: SimulatedFault = () => undefined;
