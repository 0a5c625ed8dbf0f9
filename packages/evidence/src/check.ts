import path from "node:path";
import { EvidenceError } from "./error.ts";
import type { EvidenceSubject } from "./facts.ts";
import { readEvidence } from "./read.ts";
import { parseRequirement, unmetBecause, type EvidenceRequirement } from "./requirement.ts";
import type { EvidenceState, Executed } from "./state.ts";
import { digestSubject } from "./subject.ts";

/** What somebody wants to be sure of. */
export interface EvidencePolicy {
  /** Conditions on the steps: see {@link parseRequirement}. */
  readonly require?: readonly string[];
  /** Files that must be what the run was about, byte for byte. */
  readonly subjects?: readonly string[];
  /** The run must have ended at most so many milliseconds ago. */
  readonly maxAgeMs?: number;
  /** The clock; for tests. */
  readonly now?: () => Date;
}

/** One reason not to believe in a run, or not to be content with it. */
export type Refusal =
  /** The file does not say `executed`. */
  | {
      readonly code: "NOT_EXECUTED";
      readonly state: Exclude<EvidenceState["state"], "executed">;
      readonly reason: string;
    }
  /** A subject has other bytes than the run was about. */
  | { readonly code: "SUBJECT_DIFFERS"; readonly path: string; readonly expected: string; readonly found: string }
  /** The run was not about such a subject. */
  | { readonly code: "SUBJECT_NOT_NAMED"; readonly path: string; readonly found: string }
  /** The subject is not there any more, or cannot be read. */
  | { readonly code: "SUBJECT_MISSING"; readonly path: string; readonly reason: string }
  /** The run ended too long ago, or in the future. */
  | { readonly code: "TOO_OLD"; readonly ageMs: number; readonly maxAgeMs: number }
  /** A condition does not hold. */
  | { readonly code: "REQUIREMENT_UNMET"; readonly requirement: string; readonly found: string };

/** What came of a check. `stale` refusals mean that the evidence is about something else than what is there now. */
export type EvidenceCheck =
  | { readonly kind: "accepted"; readonly evidence: Executed }
  | { readonly kind: "refused"; readonly evidence: EvidenceState; readonly refusals: readonly Refusal[] };

/**
 * Decides whether a file is evidence enough: it says `executed`, every condition holds, every named subject is the one the
 * run was about, and the run is recent enough. All that is wrong is reported at once.
 *
 * @throws EvidenceError INVALID_POLICY before anything is read; never for what the file holds
 */
export async function checkEvidence(file: string, policy: EvidencePolicy = {}): Promise<EvidenceCheck> {
  const requirements = (policy.require ?? []).map(parseRequirement);
  const maxAgeMs = checkMaxAge(policy.maxAgeMs);
  const evidence = readEvidence(file);
  if (evidence.state !== "executed") {
    return {
      kind: "refused",
      evidence,
      refusals: [{ code: "NOT_EXECUTED", state: evidence.state, reason: whyNot(evidence) }],
    };
  }
  const refusals = [
    ...unmet(requirements, evidence),
    ...tooOld(evidence, maxAgeMs, policy.now ?? (() => new Date())),
    ...(await wrongSubjects(evidence.facts.subjects, policy.subjects ?? [])),
  ];
  return refusals.length === 0 ? { kind: "accepted", evidence } : { kind: "refused", evidence, refusals };
}

function unmet(requirements: readonly EvidenceRequirement[], { steps }: Executed): Refusal[] {
  return requirements.flatMap((requirement) => {
    const found = unmetBecause(requirement, steps);
    return found === undefined ? [] : [{ code: "REQUIREMENT_UNMET" as const, requirement: requirement.text, found }];
  });
}

/** A run that ended in the future is as little proof as an old one: one of the two clocks is wrong. */
function tooOld({ facts }: Executed, maxAgeMs: number | undefined, now: () => Date): Refusal[] {
  if (maxAgeMs === undefined || facts.ended === undefined) return [];
  const ageMs = now().getTime() - facts.ended.getTime();
  return ageMs >= 0 && ageMs <= maxAgeMs ? [] : [{ code: "TOO_OLD", ageMs, maxAgeMs }];
}

async function wrongSubjects(tested: readonly EvidenceSubject[], files: readonly string[]): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  // One after the other: a subject can be a model of many gigabytes.
  for (const file of files) {
    const refusal = await wrongSubject(tested, file);
    if (refusal !== undefined) refusals.push(refusal);
  }
  return refusals;
}

async function wrongSubject(tested: readonly EvidenceSubject[], file: string): Promise<Refusal | undefined> {
  let found: EvidenceSubject;
  try {
    found = await digestSubject(file);
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { code: "SUBJECT_MISSING", path: file, reason: error.message };
  }
  if (tested.some((one) => one.sha256 === found.sha256)) return undefined;
  const sameName = tested.find((one) => one.name === path.basename(file));
  return sameName === undefined
    ? { code: "SUBJECT_NOT_NAMED", path: file, found: found.sha256 }
    : { code: "SUBJECT_DIFFERS", path: file, expected: sameName.sha256, found: found.sha256 };
}

/** Why a file that is not `executed` is not, in words. */
export function whyNot(evidence: Exclude<EvidenceState, Executed>): string {
  switch (evidence.state) {
    case "failed":
    case "blocked":
    case "blocked-when-ungated":
    case "unreadable":
      return evidence.reason;
    case "running":
      return `run ${evidence.facts.id} of process ${evidence.facts.process} started at ${evidence.facts.started.toISOString()} and has not ended; it is still going on or was killed`;
    case "absent":
      return "there is no such file";
  }
}

function checkMaxAge(maxAgeMs: number | undefined): number | undefined {
  if (maxAgeMs === undefined || (Number.isFinite(maxAgeMs) && maxAgeMs >= 0)) return maxAgeMs;
  throw new EvidenceError({
    code: "INVALID_POLICY",
    message: `the greatest age is a number of milliseconds, not ${maxAgeMs}`,
    found: String(maxAgeMs),
    expected: "a number that is not negative",
  });
}
