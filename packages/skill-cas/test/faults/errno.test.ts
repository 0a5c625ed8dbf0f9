import {
  SIMULATED_ERRNO,
  type SimulatedErrnoName,
  SimulatedDisk,
  SimulatedProcess,
  SimulatedSystemError,
} from "@mesh/testkit/simulated-disk";
import { describe, expect, it } from "vitest";
import type { Effect } from "../../src/effects.ts";
import { SkillCasError } from "../../src/error.ts";
import { type Interpreter, performEffect, Run, runBlocking } from "../../src/interpreters/run.ts";
import { PUT_ACTION_DIGEST } from "../../src/layout.ts";
import { publish, reconcile } from "../../src/publish.ts";
import type { Outcome } from "../../src/seal.ts";
import { createSimulatedInterpreter, OWNER } from "../simulation/interpreter.ts";
import { ADDRESS, BYTES } from "../simulation/put.ts";

// Guarantee 3: any errno from any effect, once and for ever.

/** Errors that a disk may answer a changing or syncing effect with. EEXIST and ENOENT mean something and are apart. */
const ERRNOS: readonly SimulatedErrnoName[] = [
  "EIO",
  "ENOSPC",
  "EDQUOT",
  "EACCES",
  "EPERM",
  "EROFS",
  "EMLINK",
  "EXDEV",
  "EMFILE",
  "ELOOP",
  "ENAMETOOLONG",
  "ESTALE",
];

type Attempted =
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  | { readonly kind: "error"; readonly error: SkillCasError };

/** Runs one handle. The effect that was the n-th of the untroubled run fails, once; or all of that kind fail. */
function attempt(
  disk: SimulatedDisk,
  job: "put" | "reconcile",
  fails: (effect: Effect, index: number) => SimulatedErrnoName | undefined,
): Attempted {
  const process = new SimulatedProcess(disk, { name: "process", owner: OWNER, umask: 0o077, writeBytesMax: 99 });
  const real = createSimulatedInterpreter(disk, process);
  let index = -1;
  const method = (effect: Effect): never => {
    index += 1;
    const errno = fails(effect, index);
    if (errno !== undefined) {
      if (effect.kind === "syncFile") process.failToSyncFile(effect.handle);
      if (effect.kind === "syncDirectory") process.failToSyncDirectory(effect.directory);
      throw new SimulatedSystemError(errno, `call of ${effect.kind}`, "name");
    }
    // Interpreter promises for each kind that the result is the one of that kind.
    return performEffect(real, effect) as never;
  };
  const interpreter = Object.fromEntries(Object.keys(real).map((kind) => [kind, method])) as unknown as Interpreter;
  try {
    if (job === "reconcile") {
      return {
        kind: "outcome",
        outcome: runBlocking(new Run(reconcile(ADDRESS, PUT_ACTION_DIGEST, "try"), interpreter)),
      };
    }
    const steps = publish(ADDRESS, { actionDigest: PUT_ACTION_DIGEST, patience: "try", body: BYTES });
    return { kind: "outcome", outcome: runBlocking(new Run(steps, interpreter)).outcome };
  } catch (error) {
    if (error instanceof SkillCasError) return { kind: "error", error };
    throw error;
  } finally {
    process.die();
  }
}

/** The effects of an untroubled put, in order. */
function effectsOfPut(): readonly Effect[] {
  const effects: Effect[] = [];
  attempt(new SimulatedDisk(), "put", (effect) => {
    effects.push(effect);
    return undefined;
  });
  return effects;
}

const EFFECTS = effectsOfPut().map((effect, index) => ({ index, kind: effect.kind }));
// A failed close is told, but nothing depends on it; what link and stat answer with ENOENT or EEXIST is no failure.
const FAILING = EFFECTS.filter(({ kind }) => kind !== "close");

describe.each(ERRNOS)("%s", (errno) => {
  it("once, from any effect: this handle never says exact, a fresh one ends where section 15 says", () => {
    for (const { index, kind } of FAILING) {
      const disk = new SimulatedDisk();
      const first = attempt(disk, "put", (_effect, now) => (now === index ? errno : undefined));
      // A lock that cannot be opened is tried again: its creator may be about to set its mode.
      if (kind === "createLock" && errno === "EACCES") {
        expect(first).toMatchObject({ kind: "outcome", outcome: { state: "exact" } });
        continue;
      }
      const swapped = kind === "open" && errno === "ELOOP";
      expect(first.kind === "error" || swapped, `${kind} at ${index}`).toBe(true);
      if (first.kind === "error") {
        expect(first.error.facts, `${kind} at ${index}`).toMatchObject(
          first.error.code === "LOCK_UNSAFE"
            ? { name: `${ADDRESS.digest}.lock` }
            : { errnoName: errno, errno: SIMULATED_ERRNO[errno], effect: kind },
        );
        expect(["LOCK_UNSAFE", "SYNC_FAILED", "EFFECT_FAILED"]).toContain(first.error.code);
        expect(first.error.code === "SYNC_FAILED").toBe(kind === "syncFile" || kind === "syncDirectory");
      }
      const fresh = attempt(disk, "reconcile", () => undefined);
      const staged = EFFECTS.findIndex((effect) => effect.kind === "write");
      const state = fresh.kind === "outcome" ? fresh.outcome.state : fresh.error.code;
      expect(state, `${kind} at ${index}`).toBe(index > staged ? "exact" : "absent");
    }
  });

  it("for ever, from any changing effect: the same reason from every handle, and nothing is ever called exact", () => {
    for (const kind of ["create", "write", "syncFile", "link", "syncDirectory", "createLock", "lock"] as const) {
      const disk = new SimulatedDisk();
      const always = (effect: Effect): SimulatedErrnoName | undefined => (effect.kind === kind ? errno : undefined);
      const codes = [attempt(disk, "put", always), attempt(disk, "put", always)].map((attempted) =>
        attempted.kind === "error"
          ? `${attempted.error.code} ${String(attempted.error.facts["errnoName"])}`
          : attempted.outcome.state,
      );
      expect(codes[1], kind).toBe(codes[0]);
      expect(codes[0], kind).not.toBe("exact");
    }
  });
});
