import { digestUtf8 } from "../digest.ts";
import type { JournalHead } from "../journal.ts";
import type { Connection } from "./connection.ts";
import { corruption } from "./corruption.ts";
import type { JournalTables } from "./journal-tables.ts";

/** Digest that seals a checkpoint, so that it cannot be moved by a change of one of its members. */
export function checkpointDigest(head: JournalHead): string {
  return digestUtf8({
    entry_digest: head.digest,
    schema: "mesh.install-journal-checkpoint-v1",
    sequence: head.sequence,
  });
}

/**
 * The head up to which an earlier process has verified the chain. It is verified itself: its seal, and that the chain has
 * exactly that link there. What lies before it is verified by `verify()` and row by row when it is used.
 *
 * @throws InstallEngineError JOURNAL_CORRUPT.
 */
export function readCheckpoint({ connection, chain, path }: JournalTables): JournalHead {
  const rows = connection
    .prepare<[], { sequence: number; digest: string | null; seal: string }>(
      `SELECT sequence, entry_digest AS digest, checkpoint_digest AS seal FROM checkpoint`,
    )
    .all();
  const [row] = rows;
  if (row === undefined || rows.length !== 1) {
    throw corruption(path, { subject: "checkpoint", reason: `there are ${rows.length}, not 1` });
  }
  const checkpoint: JournalHead = { sequence: row.sequence, digest: row.digest };
  if (!Number.isSafeInteger(row.sequence) || row.seal !== checkpointDigest(checkpoint)) {
    throw corruption(path, { subject: "checkpoint", reason: "its digest does not recompute from its members" });
  }
  const link = chain.at(row.sequence);
  if ((link?.entryDigest ?? null) !== row.digest || (link === undefined) !== (row.sequence === 0)) {
    throw corruption(path, {
      subject: "checkpoint",
      reason: "the chain does not have the link it names",
      sequence: row.sequence,
    });
  }
  return checkpoint;
}

/** Moves the checkpoint forward, inside the transaction that made its newest row. */
export function writeCheckpoint(connection: Connection, head: JournalHead): void {
  connection
    .prepare<[number, string | null, string], never>(
      "UPDATE checkpoint SET sequence = ?, entry_digest = ?, checkpoint_digest = ? WHERE id = 1",
    )
    .run(head.sequence, head.digest, checkpointDigest(head));
}
