import { awaitsAction, issuesAction } from "../journal/action-text.ts";
import { type InstallClaim, installClaimDigest, type JournalRecord } from "../journal/rows.ts";
import type { ClaimRequest, ClaimResult } from "../journal.ts";
import { compareTimestamps } from "../timestamp.ts";
import { corruption } from "./corruption.ts";
import type { WriteContext } from "./write-context.ts";

/** Makes the one claim of an action, in the order of spec 5.4: earlier claim, head, issuing record, clock. */
export function claim(context: WriteContext, request: ClaimRequest): ClaimResult {
  const { rows, tables, appender } = context;
  const earlier = rows.claim(request);
  if (earlier !== undefined) {
    if (earlier.actionContentDigest !== request.actionContentDigest) {
      throw corruption(tables.path, {
        subject: `claim of ${request.actionId} in stream ${request.streamKey}`,
        reason: `it is of action content ${earlier.actionContentDigest}, this claim is of ${request.actionContentDigest}`,
      });
    }
    return { kind: "already-claimed", won: false, claim: earlier };
  }
  const head = rows.newestRecord(request.streamKey);
  if (head === undefined || !isHead(head, request.expectedHead)) {
    const found = head === undefined ? null : { revision: head.revision, recordDigest: head.recordDigest };
    return { kind: "revision-conflict", won: false, head: found };
  }
  const issuing = rows.recordAt(request.streamKey, request.preconditionRevision);
  if (
    issuing === undefined ||
    !issuesAction(issuing.transitionText, request.actionText) ||
    !awaitsAction(head.resultStateText, request.actionText)
  ) {
    return { kind: "not-issued", won: false };
  }
  const now = context.now();
  if (compareTimestamps(now, request.actionExpiresAt) >= 0) {
    return { kind: "expired", won: false, now, expiresAt: request.actionExpiresAt };
  }
  const made = sealedClaim(request, issuing, head, now);
  appender.append(tables.claims, made);
  tables.unsettled.add(made);
  // Read through every check that a later reader makes: what would be refused then must not be committed now.
  rows.claim(made);
  return { kind: "claimed", won: true, claim: made };
}

function isHead(head: JournalRecord, expected: ClaimRequest["expectedHead"]): boolean {
  return head.revision === expected.revision && head.recordDigest === expected.recordDigest;
}

function sealedClaim(request: ClaimRequest, issuing: JournalRecord, head: JournalRecord, now: string): InstallClaim {
  const unsealed = {
    streamKey: request.streamKey,
    actionId: request.actionId,
    actionContentDigest: request.actionContentDigest,
    actionKind: "InstallCapability",
    preconditionRevision: request.preconditionRevision,
    actionText: request.actionText,
    actionExpiresAt: request.actionExpiresAt,
    authorizationDigest: request.authorizationDigest,
    executionBindingText: request.executionBindingText,
    executionBindingDigest: request.executionBindingDigest,
    besideText: request.besideText,
    issuingRecordDigest: issuing.recordDigest,
    claimedHeadRevision: head.revision,
    claimedHeadRecordDigest: head.recordDigest,
    claimedHeadStateDigest: head.resultStateDigest,
    claimedAt: now,
  } as const;
  return { ...unsealed, claimDigest: installClaimDigest(unsealed) };
}
