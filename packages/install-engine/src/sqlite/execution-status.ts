import type { ActionKey, InstallExecutionStatus } from "../journal.ts";
import { corruption } from "./corruption.ts";
import type { JournalTables } from "./journal-tables.ts";
import type { VerifiedRows } from "./verified-rows.ts";

/**
 * How far an action got, from its rows.
 *
 * @throws InstallEngineError JOURNAL_CORRUPT for rows that cannot stand beside each other.
 */
export function executionStatus(rows: VerifiedRows, tables: JournalTables, key: ActionKey): InstallExecutionStatus {
  const claim = rows.claim(key);
  const outcome = rows.outcome(key);
  const settlement = rows.settlement(key);
  const abandonment = rows.abandonment(key);
  if (claim !== undefined) {
    if (settlement !== undefined && outcome !== undefined && abandonment === undefined) {
      return { state: "settled", claim, outcome, settlement };
    }
    if (abandonment !== undefined && outcome === undefined && settlement === undefined) {
      return { state: "abandoned", claim, abandonment };
    }
    if (settlement === undefined && abandonment === undefined) {
      return outcome === undefined ? { state: "claimed", claim } : { state: "outcome-recorded", claim, outcome };
    }
  } else if (outcome === undefined && settlement === undefined && abandonment === undefined) {
    return { state: "unclaimed" };
  }
  throw corruption(tables.path, {
    subject: `rows of ${key.actionId} in stream ${key.streamKey}`,
    reason: "they cannot stand beside each other",
  });
}
