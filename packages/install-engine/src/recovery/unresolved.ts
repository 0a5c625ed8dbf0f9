import { type EngineContext, requireOpen } from "../engine/context.ts";
import type { InstallReason } from "../driver.ts";
import type { JournalWaitOptions } from "../journal.ts";
import { UNRESOLVED_ACTIONS_MAX } from "../limits.ts";
import type { Timestamp } from "../timestamp.ts";
import { type InstallCapabilityAction, parseInstallAction } from "../types/action.ts";
import { lastSeenKey } from "./last-seen.ts";
import { unsettledClaims } from "./recover.ts";

/** An action that is claimed and not closed: it needs another look, or a person. */
export interface UnresolvedAction {
  readonly action: InstallCapabilityAction;
  readonly streamKey: string;
  readonly claimedAt: Timestamp;
  /** Why it is open; `not-reconciled` if this engine has not looked at it yet. */
  readonly reason: InstallReason;
  /** When this engine last looked at it; null if it has not. */
  readonly seenAt: Timestamp | null;
}

/** See `InstallEngine.unresolved`. */
export async function unresolvedInstalls(
  context: EngineContext,
  options: JournalWaitOptions = {},
): Promise<readonly UnresolvedAction[]> {
  requireOpen(context);
  const unresolved: UnresolvedAction[] = [];
  for await (const claim of unsettledClaims(context, options)) {
    if (unresolved.length >= UNRESOLVED_ACTIONS_MAX) {
      break;
    }
    const seen = context.lastSeen.get(lastSeenKey(claim));
    unresolved.push({
      action: parseInstallAction(claim.actionText),
      streamKey: claim.streamKey,
      claimedAt: claim.claimedAt,
      reason: seen === undefined ? { code: "not-reconciled", facts: {} } : { code: seen.code, facts: seen.facts },
      seenAt: seen?.at ?? null,
    });
  }
  return unresolved;
}
