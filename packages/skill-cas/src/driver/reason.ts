import type { InstallReason } from "@mesh/install-engine";
import { SkillCasError } from "../error.ts";
import type { Conflict } from "../reason.ts";

/** The reason of a conflict, as the engine reports it. */
export function conflictReason(conflict: Conflict): InstallReason {
  return { code: conflict.code, facts: conflict.facts };
}

/**
 * Why a call failed, as the engine reports it: `sync-failed`, `effect-failed`, `lock-busy` and so on, the code of the
 * error in the spelling of reasons; of an object conflict, the conflict's own code.
 */
export function failureReason(error: unknown): InstallReason {
  if (!(error instanceof SkillCasError)) {
    // The message of a body source may hold anything, so it stays with the error and out of the journal.
    return { code: "body-source-failed", facts: { error: error instanceof Error ? error.name : typeof error } };
  }
  const { reason, ...facts } = error.facts;
  if (error.code === "OBJECT_CONFLICT" && typeof reason === "string") {
    return { code: reason, facts };
  }
  return { code: error.code.toLowerCase().replaceAll("_", "-"), facts: error.facts };
}

/** Whether a failure says that something else stands in the way, rather than that nothing could be told. */
export function isConflict(error: unknown): boolean {
  const codes = ["OBJECT_CONFLICT", "LOCK_UNSAFE", "ROOT_CHANGED", "ROOT_UNSAFE"];
  return error instanceof SkillCasError && codes.includes(error.code);
}
