import { sha256Hex } from "../digest.ts";
import { InstallEngineError } from "../error.ts";
import { type JournalRecord, journalRecordDigest } from "../journal/rows.ts";
import type { CommitRequest, CommitResult } from "../journal.ts";
import { isJournalable } from "../types/privacy.ts";
import { streamIdOf, streamKeyOf } from "../types/scope.ts";
import { checkGuard } from "./commit-guard.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * Adds a record and what its guard adds, in the order of spec 5.4: duplicate, guard, revision. The caller's transaction
 * keeps all of it or nothing.
 */
export function commit(context: WriteContext, { record, guard }: CommitRequest): CommitResult {
  const { rows, appender, tables } = context;
  const known = rows.recordOfEvent(record.eventId);
  if (known !== undefined) {
    return known.streamKey === record.streamKey && known.eventContentDigest === record.eventContentDigest
      ? { kind: "duplicate", record: known }
      : { kind: "event-collision", eventId: record.eventId };
  }
  const now = context.now();
  const checked = checkGuard(context, record, guard, now);
  if (checked.kind === "refused") {
    return checked.result;
  }
  const head = rows.newestRecord(record.streamKey);
  if (record.revision !== (head?.revision ?? 0) + 1 || record.previousRecordDigest !== (head?.recordDigest ?? null)) {
    const found = head === undefined ? null : { revision: head.revision, recordDigest: head.recordDigest };
    return { kind: "revision-conflict", head: found };
  }
  tables.streams.put({
    streamKey: record.streamKey,
    ...streamIdOf(record.stream),
    revision: record.revision,
    headRecordDigest: record.recordDigest,
    headStateDigest: record.resultStateDigest,
  });
  appender.append(tables.records, record);
  checked.append();
  return { kind: "committed", record, now };
}

/**
 * Refuses a record that could never be read back: what it says of itself does not recompute, or a journal may not keep it.
 *
 * @throws InstallEngineError INVALID_VALUE, DIGEST_MISMATCH; before anything is locked.
 */
export function checkRecord(record: JournalRecord): void {
  if (!Number.isSafeInteger(record.revision) || record.revision < 1) {
    throw invalid("revision", `is ${record.revision}; expected a whole number of at least 1`);
  }
  if (record.streamKey !== streamKeyOf(record.stream)) {
    throw invalid("streamKey", "is not the canonical text of the stream");
  }
  if (!isJournalable({ classification: record.privacyClassification, retention: record.retentionClass })) {
    throw invalid("retentionClass", `is ${record.retentionClass}; a journal keeps what it is given`);
  }
  const digests = [
    ["replayDigest", sha256Hex(record.replayText)],
    ["transitionDigest", sha256Hex(record.transitionText)],
    ["resultStateDigest", sha256Hex(record.resultStateText)],
    ["recordDigest", journalRecordDigest(record)],
  ] as const;
  for (const [member, digest] of digests) {
    if (record[member] !== digest) {
      throw new InstallEngineError({
        code: "DIGEST_MISMATCH",
        message: `journal record ${record.eventId}: ${member} is ${record[member]}, its text has ${digest}`,
        facts: { type: "journal record", field: member, found: record[member], expected: digest },
      });
    }
  }
}

function invalid(field: string, fault: string): InstallEngineError {
  return new InstallEngineError({
    code: "INVALID_VALUE",
    message: `journal record: ${field} ${fault}`,
    facts: { type: "journal record", field },
  });
}
