import type { EngineContext } from "../engine/context.ts";
import type { InstallExecutionReport } from "../execution/report.ts";
import type { ActionKey } from "../journal.ts";

/** The key of an action in memory. */
export function lastSeenKey(key: ActionKey): string {
  return `${key.actionId} ${key.streamKey}`;
}

/** Remembers why a run left an action open, or forgets it once it is closed. */
export async function noteReport(
  context: EngineContext,
  key: ActionKey,
  report: InstallExecutionReport,
): Promise<void> {
  if (report.settled || report.reason === null) {
    context.lastSeen.delete(lastSeenKey(key));
    return;
  }
  const at = await context.journal.now();
  context.lastSeen.set(lastSeenKey(key), { at, code: report.reason.code, facts: report.reason.facts });
}
