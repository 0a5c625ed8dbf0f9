import type {
  InstallAbandonment,
  InstallClaim,
  InstallOutcome,
  InstallSettlement,
  JournalRecord,
} from "../journal/rows.ts";
import type { ActionKey } from "../journal.ts";
import { abandonmentAnchors, claimAnchors, outcomeAnchors, recordAnchors, settlementAnchors } from "./anchors.ts";
import { corruption } from "./corruption.ts";
import type { JournalTables } from "./journal-tables.ts";
import type { RecordRow } from "./row-kinds.ts";
import type { Numbered, RowTable } from "./row-table.ts";
import { type AnchorCheck, chainedRow, verifyRow } from "./row-verification.ts";
import { streamIdOfKey, verifyNewest } from "./streams.ts";

/**
 * Reads rows and verifies each before it is handed out (spec 5.3): its digest, its link in the chain and what it points
 * to. Nothing that was changed in the file is ever believed.
 */
export class VerifiedRows {
  readonly #tables: JournalTables;

  constructor(tables: JournalTables) {
    this.#tables = tables;
  }

  /** A claim that only the list of unsettled ones knows was removed: taken for unclaimed, it would be applied again. */
  claim({ streamKey, actionId }: ActionKey): InstallClaim | undefined {
    const row = this.#tables.claims.of(streamKey, actionId);
    if (row === undefined && this.#tables.unsettled.has({ streamKey, actionId })) {
      throw corruption(this.#tables.path, {
        subject: `claim of ${actionId} in stream ${streamKey}`,
        reason: "it is missing, and the list of unsettled claims names it",
      });
    }
    return this.#verified(this.#tables.claims, row, claimAnchors);
  }

  outcome({ streamKey, actionId }: ActionKey): InstallOutcome | undefined {
    return this.#verified(this.#tables.outcomes, this.#tables.outcomes.of(streamKey, actionId), outcomeAnchors);
  }

  settlement({ streamKey, actionId }: ActionKey): InstallSettlement | undefined {
    return this.#verified(
      this.#tables.settlements,
      this.#tables.settlements.of(streamKey, actionId),
      settlementAnchors,
    );
  }

  abandonment({ streamKey, actionId }: ActionKey): InstallAbandonment | undefined {
    return this.#verified(
      this.#tables.abandonments,
      this.#tables.abandonments.of(streamKey, actionId),
      abandonmentAnchors,
    );
  }

  recordAt(streamKey: string, revision: number): JournalRecord | undefined {
    return this.#record(this.#tables.records.at(streamKey, revision));
  }

  recordOfEvent(eventId: string): JournalRecord | undefined {
    return this.#record(this.#tables.records.ofEvent(eventId));
  }

  newestRecord(streamKey: string): JournalRecord | undefined {
    const newest = verifyNewest(this.#tables, streamKey);
    return newest === undefined ? undefined : this.recordAt(streamKey, newest.revision);
  }

  /** Records after one revision up to another, at most `limit`. */
  recordsAfter(streamKey: string, after: number, last: number, limit: number): JournalRecord[] {
    return this.#tables.records
      .page(streamKey, after, last, limit)
      .map((row) => this.#record(row))
      .filter((record) => record !== undefined);
  }

  #record(row: Numbered<RecordRow> | undefined): JournalRecord | undefined {
    const record = this.#verified(this.#tables.records, row, recordAnchors);
    return record === undefined ? undefined : { ...record, stream: streamIdOfKey(record.streamKey, this.#tables.path) };
  }

  #verified<Row extends object>(
    table: RowTable<Row>,
    row: Numbered<Row> | undefined,
    anchors: AnchorCheck<Row>,
  ): Row | undefined {
    if (row === undefined) {
      return undefined;
    }
    verifyRow(this.#tables, chainedRow(this.#tables, table, row, anchors));
    return table.withoutSequence(row);
  }
}
