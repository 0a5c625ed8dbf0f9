import { whyNot, type EvidenceCheck, type Refusal } from "../check.ts";
import { escapeUnsafe } from "../line.ts";
import type { EvidenceState } from "../state.ts";

/** What a file says, for people. Everything that came from the file or the command line is safe to show on a terminal. */
export function describeState(evidence: EvidenceState): string[] {
  const header = evidence.state === "executed" ? "executed" : `${evidence.state}: ${whyNot(evidence)}`;
  if (!("facts" in evidence)) return [escapeUnsafe(header)];
  const { facts } = evidence;
  const steps = "steps" in evidence ? evidence.steps : [];
  return [
    header,
    ...steps.map((one) => `  ${one.name}: ${one.value}`),
    `run ${facts.id}`,
    `  command: ${facts.command}`,
    `  started: ${facts.started.toISOString()}`,
    ...(facts.ended === undefined ? [] : [`  ended: ${facts.ended.toISOString()}`]),
    ...Object.entries(facts.versions).map(([name, version]) => `  version: ${name} ${version}`),
    ...facts.subjects.map((one) => `  subject: ${one.name}, ${one.size} bytes, sha256 ${one.sha256}`),
  ].map(escapeUnsafe);
}

/** The verdict of a check, for people. */
export function describeCheck(file: string, check: EvidenceCheck): string[] {
  switch (check.kind) {
    case "accepted": {
      const { steps, facts } = check.evidence;
      return [`accepted: ${file}: ${steps.length} steps executed by run ${facts.id}`].map(escapeUnsafe);
    }
    case "refused":
      return check.refusals.map((one) => escapeUnsafe(`refused: ${file}: ${describeRefusal(one)}`));
  }
}

function describeRefusal(refusal: Refusal): string {
  switch (refusal.code) {
    case "NOT_EXECUTED":
      return `${refusal.state}: ${refusal.reason}`;
    case "SUBJECT_DIFFERS":
      return `stale: ${refusal.path} has sha256 ${refusal.found}, the run was about ${refusal.expected}`;
    case "SUBJECT_NOT_NAMED":
      return `stale: the run was not about ${refusal.path} (sha256 ${refusal.found})`;
    case "SUBJECT_MISSING":
      return `stale: ${refusal.reason}`;
    case "TOO_OLD":
      return `stale: the run ended ${refusal.ageMs / 1000} s ago, at most ${refusal.maxAgeMs / 1000} s are allowed`;
    case "REQUIREMENT_UNMET":
      return `required "${refusal.requirement}", found ${refusal.found}`;
  }
}
