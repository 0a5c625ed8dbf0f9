import { z } from "zod";
import { type StreamId, streamKeyOf } from "../types/scope.ts";
import type { Connection, SqlValue, Statement } from "./connection.ts";
import { corruption } from "./corruption.ts";
import type { JournalTables, NewestPlace } from "./journal-tables.ts";

/** One stream as the projection has it: which record is its newest. */
export interface StreamRow extends StreamId {
  readonly streamKey: string;
  readonly revision: number;
  readonly headRecordDigest: string;
  readonly headStateDigest: string;
}

const STREAM = `SELECT stream_key AS "streamKey", tenant_id AS "tenantId", workspace_id AS "workspaceId",
  repository_id AS "repositoryId", session_id AS "sessionId", revision, head_record_digest AS "headRecordDigest",
  head_state_digest AS "headStateDigest" FROM streams`;

/** The streams: a projection of the records, written with them and compared with them at every use. */
export class StreamTable {
  readonly #byKey: Statement<[string], StreamRow>;
  readonly #page: Statement<SqlValue[], StreamRow>;
  readonly #after: Statement<[string], { key: string | null }>;
  readonly #upsert: Statement<SqlValue[], never>;

  constructor(connection: Connection) {
    this.#byKey = connection.prepare(`${STREAM} WHERE stream_key = ?`);
    this.#page = connection.prepare(
      `${STREAM} WHERE stream_key > ? AND tenant_id = ifnull(?, tenant_id) AND workspace_id = ifnull(?, workspace_id)
       AND repository_id = ifnull(?, repository_id) AND session_id = ifnull(?, session_id) ORDER BY stream_key LIMIT ?`,
    );
    this.#after = connection.prepare("SELECT min(stream_key) AS key FROM streams WHERE stream_key > ?");
    this.#upsert = connection.prepare(
      `INSERT INTO streams (stream_key, tenant_id, workspace_id, repository_id, session_id, revision, head_record_digest,
       head_state_digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (stream_key) DO UPDATE SET
       revision = excluded.revision, head_record_digest = excluded.head_record_digest,
       head_state_digest = excluded.head_state_digest`,
    );
  }

  get(streamKey: string): StreamRow | undefined {
    return this.#byKey.get(streamKey);
  }

  /** The first key after another one, in code point order. */
  readonly keyAfter = (after: string): string | undefined => this.#after.get(after)?.key ?? undefined;

  page(filter: Partial<StreamId>, after: string, limit: number): StreamRow[] {
    const { tenantId = null, workspaceId = null, repositoryId = null, sessionId = null } = filter;
    return this.#page.all(after, tenantId, workspaceId, repositoryId, sessionId, limit);
  }

  put(row: StreamRow): void {
    const { streamKey, tenantId, workspaceId, repositoryId, sessionId } = row;
    const { revision, headRecordDigest, headStateDigest } = row;
    this.#upsert.run(
      streamKey,
      tenantId,
      workspaceId,
      repositoryId,
      sessionId,
      revision,
      headRecordDigest,
      headStateDigest,
    );
  }
}

const streamIdSchema = z.strictObject({
  tenant_id: z.string(),
  workspace_id: z.string(),
  repository_id: z.string(),
  session_id: z.string(),
});

/**
 * The members of a stream from its key, which is their canonical text.
 *
 * @throws InstallEngineError JOURNAL_CORRUPT.
 */
export function streamIdOfKey(streamKey: string, path: string): StreamId {
  try {
    const { tenant_id, workspace_id, repository_id, session_id } = streamIdSchema.parse(JSON.parse(streamKey));
    const stream = {
      tenantId: tenant_id,
      workspaceId: workspace_id,
      repositoryId: repository_id,
      sessionId: session_id,
    };
    if (streamKeyOf(stream) === streamKey) {
      return stream;
    }
  } catch {
    // Not the canonical text of a stream: said below.
  }
  throw corruption(path, { subject: `stream ${streamKey}`, reason: "its key does not name a stream" });
}

/**
 * Demands that projection and records name the same newest record of a stream: a removed newest record shows here,
 * although what is left is a chain without a gap.
 *
 * @throws InstallEngineError JOURNAL_CORRUPT.
 */
export function verifyNewest(tables: JournalTables, streamKey: string): NewestPlace | undefined {
  const stream = tables.streams.get(streamKey);
  const record = tables.records.newestPlace(streamKey);
  if (
    stream?.revision !== record?.revision ||
    stream?.headRecordDigest !== record?.recordDigest ||
    stream?.headStateDigest !== record?.stateDigest
  ) {
    throw corruption(tables.path, {
      subject: `stream ${streamKey}`,
      reason: `its newest record is ${record?.revision ?? "none"}, its projection says ${stream?.revision ?? "none"}, or another record of that number`,
      ...(record === undefined ? {} : { sequence: record.sequence }),
    });
  }
  return record;
}
