import type { JournalRecord } from "../journal/rows.ts";
import type { StreamSnapshot } from "../journal.ts";

/** A stream as its newest record leaves it. */
export function snapshotOf(record: JournalRecord): StreamSnapshot {
  return {
    streamKey: record.streamKey,
    stream: record.stream,
    revision: record.revision,
    recordDigest: record.recordDigest,
    stateText: record.resultStateText,
    stateDigest: record.resultStateDigest,
  };
}
