import { InstallEngineError } from "../error.ts";
import type { Connection } from "./connection.ts";
import { corruption } from "./corruption.ts";
import { FORMAT } from "./layout.ts";

/** What `PRAGMA user_version` holds: which format of this family the file has. */
export const FORMAT_VERSION = 1;
/** What `PRAGMA application_id` holds: "MesJ" in ASCII, so that `file` and other programs can tell what it is. */
export const APPLICATION_ID = 0x4d65734a;

/**
 * Every object of the database, by name, with its exact text. Rows are numbered by the one sequence of the whole journal,
 * so each table is read in the order in which its rows were made, and an append touches the end of it alone. The long
 * texts are last in their rows: whatever stands before them is read without following the pages that they overflow to.
 */
const OBJECTS: ReadonlyMap<string, string> = new Map([
  ["format", "CREATE TABLE format (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL) STRICT"],
  [
    // The chain of all rows (see `entry-chain.ts`).
    "entries",
    `CREATE TABLE entries (
      sequence INTEGER PRIMARY KEY CHECK (sequence > 0),
      kind TEXT NOT NULL CHECK (kind IN ('record', 'claim', 'outcome', 'settlement', 'abandonment')),
      row_digest TEXT NOT NULL,
      entry_digest TEXT NOT NULL
    ) STRICT`,
  ],
  [
    "checkpoint",
    `CREATE TABLE checkpoint (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      sequence INTEGER NOT NULL,
      entry_digest TEXT,
      checkpoint_digest TEXT NOT NULL
    ) STRICT`,
  ],
  [
    "streams",
    `CREATE TABLE streams (
      stream_key TEXT PRIMARY KEY,
      tenant_id TEXT NOT NULL,
      workspace_id TEXT NOT NULL,
      repository_id TEXT NOT NULL,
      session_id TEXT NOT NULL,
      revision INTEGER NOT NULL CHECK (revision > 0),
      head_record_digest TEXT NOT NULL,
      head_state_digest TEXT NOT NULL
    ) STRICT`,
  ],
  [
    "records",
    `CREATE TABLE records (
      sequence INTEGER PRIMARY KEY REFERENCES entries (sequence),
      stream_key TEXT NOT NULL REFERENCES streams (stream_key),
      revision INTEGER NOT NULL CHECK (revision > 0),
      event_id TEXT NOT NULL UNIQUE,
      event_content_digest TEXT NOT NULL,
      replay_digest TEXT NOT NULL,
      transition_digest TEXT NOT NULL,
      result_state_digest TEXT NOT NULL,
      previous_record_digest TEXT,
      privacy_classification TEXT NOT NULL,
      retention_class TEXT NOT NULL,
      reducer_version INTEGER NOT NULL,
      record_digest TEXT NOT NULL,
      replay_json TEXT NOT NULL,
      transition_json TEXT NOT NULL,
      result_state_json TEXT NOT NULL,
      UNIQUE (stream_key, revision)
    ) STRICT`,
  ],
  [
    "claims",
    `CREATE TABLE claims (
      sequence INTEGER PRIMARY KEY REFERENCES entries (sequence),
      stream_key TEXT NOT NULL REFERENCES streams (stream_key),
      action_id TEXT NOT NULL,
      action_content_digest TEXT NOT NULL,
      action_kind TEXT NOT NULL CHECK (action_kind = 'InstallCapability'),
      precondition_revision INTEGER NOT NULL,
      issuing_record_digest TEXT NOT NULL,
      claimed_head_revision INTEGER NOT NULL,
      claimed_head_record_digest TEXT NOT NULL,
      claimed_head_state_digest TEXT NOT NULL,
      action_expires_at TEXT NOT NULL,
      claimed_at TEXT NOT NULL,
      authorization_digest TEXT NOT NULL,
      execution_binding_digest TEXT NOT NULL,
      claim_digest TEXT NOT NULL,
      action_json TEXT NOT NULL,
      execution_binding_json TEXT NOT NULL,
      beside_json TEXT,
      UNIQUE (stream_key, action_id)
    ) STRICT`,
  ],
  [
    "outcomes",
    `CREATE TABLE outcomes (
      sequence INTEGER PRIMARY KEY REFERENCES entries (sequence),
      stream_key TEXT NOT NULL,
      action_id TEXT NOT NULL,
      action_content_digest TEXT NOT NULL,
      claim_digest TEXT NOT NULL,
      execution_binding_digest TEXT NOT NULL,
      outcome TEXT NOT NULL CHECK (outcome IN ('applied', 'failed')),
      observed_material_identity_digest TEXT,
      verification_digest TEXT NOT NULL,
      observed_at TEXT NOT NULL,
      beside_json TEXT,
      outcome_digest TEXT NOT NULL,
      UNIQUE (stream_key, action_id),
      FOREIGN KEY (stream_key, action_id) REFERENCES claims (stream_key, action_id)
    ) STRICT`,
  ],
  [
    "settlements",
    `CREATE TABLE settlements (
      sequence INTEGER PRIMARY KEY REFERENCES entries (sequence),
      stream_key TEXT NOT NULL,
      action_id TEXT NOT NULL,
      action_content_digest TEXT NOT NULL,
      claim_digest TEXT NOT NULL,
      outcome TEXT NOT NULL CHECK (outcome IN ('applied', 'failed')),
      receipt_event_id TEXT NOT NULL REFERENCES records (event_id),
      receipt_event_content_digest TEXT NOT NULL,
      receipt_record_digest TEXT NOT NULL,
      settlement_digest TEXT NOT NULL,
      UNIQUE (stream_key, action_id),
      FOREIGN KEY (stream_key, action_id) REFERENCES outcomes (stream_key, action_id)
    ) STRICT`,
  ],
  [
    "abandonments",
    `CREATE TABLE abandonments (
      sequence INTEGER PRIMARY KEY REFERENCES entries (sequence),
      stream_key TEXT NOT NULL,
      action_id TEXT NOT NULL,
      action_content_digest TEXT NOT NULL,
      claim_digest TEXT NOT NULL,
      event_id TEXT NOT NULL REFERENCES records (event_id),
      event_content_digest TEXT NOT NULL,
      record_digest TEXT NOT NULL,
      abandonment_digest TEXT NOT NULL,
      UNIQUE (stream_key, action_id),
      FOREIGN KEY (stream_key, action_id) REFERENCES claims (stream_key, action_id)
    ) STRICT`,
  ],
  [
    // The claims that wait for a settlement: what recovery looks for, without reading all that ever was.
    "unsettled",
    `CREATE TABLE unsettled (
      stream_key TEXT NOT NULL,
      action_id TEXT NOT NULL,
      PRIMARY KEY (stream_key, action_id),
      FOREIGN KEY (stream_key, action_id) REFERENCES claims (stream_key, action_id)
    ) STRICT, WITHOUT ROWID`,
  ],
]);

/** Makes an empty journal. `checkpointDigest` seals the checkpoint of an empty chain. */
export function creationSql(checkpointDigest: string): string {
  return [
    `PRAGMA application_id = ${APPLICATION_ID}`,
    `PRAGMA user_version = ${FORMAT_VERSION}`,
    "BEGIN",
    ...OBJECTS.values(),
    `INSERT INTO format (id, name) VALUES (1, '${FORMAT}')`,
    `INSERT INTO checkpoint (id, sequence, entry_digest, checkpoint_digest) VALUES (1, 0, NULL, '${checkpointDigest}')`,
    "COMMIT",
  ].join(";\n");
}

/**
 * Refuses every database that is not exactly a journal of this format; changes nothing (spec 5.2).
 *
 * @throws InstallEngineError JOURNAL_NOT_A_JOURNAL, JOURNAL_FORMAT_NEWER, JOURNAL_CORRUPT.
 */
export function verifySchema(connection: Connection, path: string): void {
  verifyFormat(connection, path);
  const found = new Map(
    connection
      // What SQLite makes by itself for a PRIMARY KEY or UNIQUE has no text; it follows from the table's.
      .prepare<[], { name: string; sql: string | null }>(
        "SELECT name, sql FROM sqlite_schema WHERE NOT (type = 'index' AND sql IS NULL AND name GLOB 'sqlite_autoindex_*')",
      )
      .all()
      .map(({ name, sql }) => [name, sql]),
  );
  for (const [name, sql] of OBJECTS) {
    if (found.get(name) !== sql) {
      throw corruption(path, { subject: `schema object ${name}`, reason: found.has(name) ? "altered" : "missing" });
    }
  }
  for (const name of found.keys()) {
    if (!OBJECTS.has(name)) {
      throw corruption(path, { subject: `schema object ${name}`, reason: "not part of the format" });
    }
  }
  const format = connection.prepare<[], { name: string }>("SELECT name FROM format").all();
  if (format.length !== 1 || format[0]?.name !== FORMAT) {
    throw corruption(path, { subject: "format row", reason: `does not say ${FORMAT}` });
  }
}

function verifyFormat(connection: Connection, path: string): void {
  const application = Number(connection.pragma("application_id"));
  const version = Number(connection.pragma("user_version"));
  if (application !== APPLICATION_ID || version < 1) {
    throw new InstallEngineError({
      code: "JOURNAL_NOT_A_JOURNAL",
      message: `${path} is a database of something else (application id ${application}, version ${version}); expected ${FORMAT} (application id ${APPLICATION_ID}). It is left as it is; correct the path.`,
      facts: { path, found: application, expected: FORMAT },
    });
  }
  if (version > FORMAT_VERSION) {
    throw new InstallEngineError({
      code: "JOURNAL_FORMAT_NEWER",
      message: `${path} has journal format version ${version}; this version of the package knows ${FORMAT} (version ${FORMAT_VERSION}) and older. It is left as it is; use a newer package.`,
      facts: { path, found: version, expected: FORMAT_VERSION },
    });
  }
}
