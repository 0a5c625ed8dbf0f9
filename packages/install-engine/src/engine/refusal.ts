import { InstallEngineError } from "../error.ts";
import type { CommitResult } from "../journal.ts";

/**
 * The error for a commit that the journal refused.
 *
 * `revision-conflict` has its own meaning in each operation and is handled before this.
 */
export function refusalOf(
  result: Exclude<CommitResult, { readonly kind: "committed" | "duplicate" }>,
): InstallEngineError {
  switch (result.kind) {
    case "event-collision":
      return refusal("EVENT_REFUSED", `another event has the id ${result.eventId}`, { eventId: result.eventId });
    case "revision-conflict":
      return refusal("SNAPSHOT_CONTENDED", "another event came first; read the stream again", {
        revision: result.head?.revision ?? 0,
      });
    case "expired":
      return refusal(
        "CONSENT_EXPIRED",
        `the time is ${result.now}, the consent request was open until ${result.notAfter}`,
        {
          now: result.now,
          expiresAt: result.notAfter,
        },
      );
    case "early":
      return refusal("ACTION_NOT_EXPIRED", `the time is ${result.now}, before ${result.notBefore}`, {
        now: result.now,
        expiresAt: result.notBefore,
      });
    case "already-claimed":
      return refusal("ACTION_CLAIMED", "the action is claimed; it can be settled or abandoned, not expired", {
        actionId: result.claim.actionId,
      });
    case "claim-required":
      return refusal("CLAIM_REQUIRED", "the action has no claim");
    case "outcome-required":
      return refusal("OUTCOME_REQUIRED", "the action has no outcome; a receipt settles what was seen, nothing else");
    case "outcome-conflict":
      return refusal("OUTCOME_REQUIRED", "the action has another outcome", { outcome: result.outcome.outcome });
    case "already-settled":
      return refusal("ACTION_SETTLED", "the action is settled", { outcome: result.settlement.outcome });
    case "abandoned":
      return refusal("ACTION_ABANDONED", "the action was abandoned by an operator", {
        eventId: result.abandonment.eventId,
      });
  }
}

function refusal(
  code: InstallEngineError["code"],
  message: string,
  facts: Readonly<Record<string, string | number>> = {},
): InstallEngineError {
  return new InstallEngineError({ code, message, facts });
}
