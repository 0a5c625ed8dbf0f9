import type { CommitRequest, CommitResult } from "../journal.ts";
import { streamIdOf } from "../types/scope.ts";
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
