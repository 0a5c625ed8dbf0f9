import type { EvidenceCheck, Refusal } from "../check.ts";

/** How the command ends, for a shell or a CI job to act on. */
export const EXIT = {
  /** The evidence is accepted, or was shown. */
  accepted: 0,
  /** The run failed, or a condition does not hold. */
  failed: 1,
  /** The command was called wrongly; nothing was read. */
  usage: 2,
  /** The run was blocked or not asked for: it proves nothing, and nothing is known to be broken. */
  blocked: 3,
  /** There is no evidence about what is there now: absent, unreadable, unfinished, too old, or about other subjects. */
  noEvidence: 4,
} as const;

/** The number of the most serious refusal: a failure before anything else, then missing evidence, then a block. */
export function exitCodeOf(check: EvidenceCheck): number {
  if (check.kind === "accepted") return EXIT.accepted;
  const codes: number[] = check.refusals.map(exitCodeOfRefusal);
  return [EXIT.failed, EXIT.noEvidence, EXIT.blocked].find((code) => codes.includes(code)) ?? EXIT.failed;
}

function exitCodeOfRefusal(refusal: Refusal): number {
  switch (refusal.code) {
    case "REQUIREMENT_UNMET":
      return EXIT.failed;
    case "SUBJECT_DIFFERS":
    case "SUBJECT_NOT_NAMED":
    case "SUBJECT_MISSING":
    case "TOO_OLD":
      return EXIT.noEvidence;
    case "NOT_EXECUTED":
      switch (refusal.state) {
        case "failed":
          return EXIT.failed;
        case "blocked":
        case "blocked-when-ungated":
          return EXIT.blocked;
        case "running":
        case "absent":
        case "unreadable":
          return EXIT.noEvidence;
      }
  }
}
