import { constants } from "node:os";
import { FileSystemError } from "@mesh/ffi";
import type { Effect } from "../../src/effects.ts";
import { type Interpreter, performEffect } from "../../src/interpreters/run.ts";
import { SYSTEM_CALLS } from "./simulated-run.ts";

/** Says whether an effect fails, knowing the ones that were performed before it. */
export type Fault = (effect: Effect, before: readonly Effect[]) => keyof typeof constants.errno | undefined;

/**
 * A disk on which chosen effects fail before they are performed. A stand-in for what no real disk can be made to do on
 * demand; everything else reaches the real one.
 */
export function failingInterpreter(interpreter: Interpreter, fault: Fault, seen: Effect[] = []): Interpreter {
  const attempt = (effect: Effect): never => {
    const errnoName = fault(effect, seen);
    if (errnoName !== undefined) {
      throw new FileSystemError({
        errno: constants.errno[errnoName],
        syscall: SYSTEM_CALLS[effect.kind],
        path: "name" in effect ? effect.name : "",
      });
    }
    const result = performEffect(interpreter, effect);
    seen.push(effect);
    // Interpreter promises for each kind that the result is the one of that kind.
    return result as never;
  };
  return {
    create: attempt,
    setMode: attempt,
    write: attempt,
    syncFile: attempt,
    link: attempt,
    rename: attempt,
    unlink: attempt,
    syncDirectory: attempt,
    makeDirectory: attempt,
    createLock: attempt,
    lock: attempt,
    removeLock: attempt,
    stat: attempt,
    statHandle: attempt,
    statRoot: attempt,
    open: attempt,
    openDirectory: attempt,
    read: attempt,
    dropCachedPages: attempt,
    startWriteback: attempt,
    list: attempt,
    close: attempt,
  };
}

/** Lets a fault happen once. */
export function once(fault: Fault): Fault & { readonly happened: () => boolean } {
  let done = false;
  return Object.assign(
    (effect: Effect, before: readonly Effect[]) => {
      const errnoName = done ? undefined : fault(effect, before);
      done ||= errnoName !== undefined;
      return errnoName;
    },
    { happened: () => done },
  );
}
