import type { JournalRecord } from "../journal/rows.ts";
import { corruption } from "./corruption.ts";
import type { JournalTables } from "./journal-tables.ts";
import { PIECE_ROWS_MAX } from "./limits.ts";
import type { VerifiedRows } from "./verified-rows.ts";

type Read = <T>(body: (rows: VerifiedRows, tables: JournalTables) => T) => Promise<T>;

/**
 * The records of a stream from its first to the one that was the newest when the iteration began. Each follows the one
 * that was given before it.
 *
 * @throws InstallEngineError JOURNAL_CORRUPT naming the record that does not.
 */
export async function* replay(read: Read, streamKey: string): AsyncGenerator<JournalRecord, void, undefined> {
  const last = (await read((rows) => rows.newestRecord(streamKey)?.revision)) ?? 0;
  let previous: Pick<JournalRecord, "revision" | "recordDigest"> = { revision: 0, recordDigest: "" };
  while (previous.revision < last) {
    const { revision } = previous;
    const page = await read((rows, tables) => {
      const records = rows.recordsAfter(streamKey, revision, last, PIECE_ROWS_MAX);
      if (records.length === 0) {
        throw missing(tables.path, streamKey, revision + 1);
      }
      return { records, path: tables.path };
    });
    for (const record of page.records) {
      if (record.revision !== previous.revision + 1) {
        throw missing(page.path, streamKey, previous.revision + 1);
      }
      if (record.revision > 1 && record.previousRecordDigest !== previous.recordDigest) {
        const subject = `record ${record.revision} of stream ${streamKey}`;
        throw corruption(page.path, { subject, reason: "it does not follow the record before it" });
      }
      yield record;
      previous = record;
    }
  }
}

function missing(path: string, streamKey: string, revision: number): Error {
  return corruption(path, { subject: `record ${revision} of stream ${streamKey}`, reason: "missing" });
}
