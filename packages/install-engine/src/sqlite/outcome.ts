import { materialToObserve } from "../journal/anchors.ts";
import { type InstallClaim, type InstallOutcome, installOutcomeDigest } from "../journal/rows.ts";
import type { OutcomeRequest, OutcomeResult } from "../journal.ts";
import { compareTimestamps } from "../timestamp.ts";
import type { WriteContext } from "./write-context.ts";

/** Records what was seen, once: the first outcome wins (spec 5.4). */
export function recordOutcome(context: WriteContext, request: OutcomeRequest): OutcomeResult {
  const { rows, appender, tables } = context;
  const claim = rows.claim(request);
  if (claim === undefined) {
    return { kind: "claim-required" };
  }
  const member = foreignMember(request, claim);
  if (member !== undefined) {
    return { kind: "claim-mismatch", member, claim };
  }
  const settlement = rows.settlement(request);
  if (settlement !== undefined) {
    return { kind: "already-settled", settlement };
  }
  const abandonment = rows.abandonment(request);
  if (abandonment !== undefined) {
    return { kind: "abandoned", abandonment };
  }
  const earlier = rows.outcome(request);
  if (earlier !== undefined) {
    return { kind: saysTheSame(earlier, request) ? "duplicate" : "outcome-conflict", outcome: earlier };
  }
  const now = context.now();
  if (compareTimestamps(now, claim.claimedAt) < 0) {
    return { kind: "clock-behind", now, claimedAt: claim.claimedAt };
  }
  const unsealed = { ...request, claimDigest: claim.claimDigest, observedAt: now };
  const outcome: InstallOutcome = { ...unsealed, outcomeDigest: installOutcomeDigest(unsealed) };
  appender.append(tables.outcomes, outcome);
  return { kind: "recorded", outcome };
}

/** The first member that belongs to another action, binding or material than the claim. */
function foreignMember(request: OutcomeRequest, claim: InstallClaim): string | undefined {
  if (request.actionContentDigest !== claim.actionContentDigest) {
    return "actionContentDigest";
  }
  if (request.executionBindingDigest !== claim.executionBindingDigest) {
    return "executionBindingDigest";
  }
  return request.observedMaterialIdentityDigest === materialToObserve(request.outcome, claim)
    ? undefined
    : "observedMaterialIdentityDigest";
}

function saysTheSame(earlier: InstallOutcome, request: OutcomeRequest): boolean {
  return (
    earlier.outcome === request.outcome &&
    earlier.observedMaterialIdentityDigest === request.observedMaterialIdentityDigest &&
    earlier.verificationDigest === request.verificationDigest
  );
}
