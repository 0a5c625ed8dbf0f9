import type { ActionKey, JournalHead, JournalVerification } from "../journal.ts";
import { verifyBounds, verifyChain } from "./chain-verification.ts";
import { corruption } from "./corruption.ts";
import { EMPTY_HEAD } from "./entry-chain.ts";
import type { JournalTables } from "./journal-tables.ts";
import { PIECE_ROWS_MAX } from "./limits.ts";
import { streamIdOfKey, verifyNewest } from "./streams.ts";

/**
 * Verifies every row of the journal up to a head, and that the projections say what the rows say. Between two pieces it
 * yields, so that the caller gives the event loop back; each piece is to be run in a snapshot of its own. Rows that are
 * added meanwhile do no harm: nothing that is verified ever changes.
 *
 * @throws InstallEngineError JOURNAL_CORRUPT naming the first bad row and the reason.
 */
export function* verifyEverything(tables: JournalTables, head: JournalHead): Generator<void, JournalVerification> {
  verifyBounds(tables);
  const counts = { record: 0, claim: 0, outcome: 0, settlement: 0, abandonment: 0 };
  let good = EMPTY_HEAD;
  while (good.sequence < head.sequence) {
    const last = Math.min(head.sequence, good.sequence + PIECE_ROWS_MAX);
    good = verifyChain(tables, good, last, (kind) => {
      counts[kind] += 1;
    });
    yield;
  }
  if (good.digest !== head.digest) {
    throw corruption(tables.path, {
      subject: "head",
      reason: "it changed during the verification",
      sequence: head.sequence,
    });
  }
  const streams = yield* verifyStreams(tables);
  yield* verifyClaimsOpen(tables);
  yield* verifyUnsettled(tables);
  return {
    streams,
    records: counts.record,
    claims: counts.claim,
    outcomes: counts.outcome,
    settlements: counts.settlement,
    abandonments: counts.abandonment,
    head,
  };
}

/** Both ways: each stream of the projection has the newest record it names, and no stream of the records is left out. */
function* verifyStreams(tables: JournalTables): Generator<void, number> {
  let count = 0;
  for (const next of [tables.streams.keyAfter, tables.records.streamAfter]) {
    count = 0;
    for (let key = next(""); key !== undefined; key = next(key)) {
      verifyNewest(tables, key);
      verifyStreamMembers(tables, key);
      count += 1;
      if (count % PIECE_ROWS_MAX === 0) {
        yield;
      }
    }
  }
  return count;
}

function verifyStreamMembers(tables: JournalTables, streamKey: string): void {
  const row = tables.streams.get(streamKey);
  const named = streamIdOfKey(streamKey, tables.path);
  const same =
    row?.tenantId === named.tenantId &&
    row.workspaceId === named.workspaceId &&
    row.repositoryId === named.repositoryId &&
    row.sessionId === named.sessionId;
  if (!same) {
    throw corruption(tables.path, { subject: `stream ${streamKey}`, reason: "its members are not those of its key" });
  }
}

function* verifyClaimsOpen(tables: JournalTables): Generator<void, void> {
  yield* pages(
    (after) => tables.unsettled.claimKeys(after, PIECE_ROWS_MAX),
    (key) => {
      if (tables.unsettled.has(key) !== isOpen(tables, key)) {
        throw strayAction(tables, key);
      }
    },
  );
}

function* verifyUnsettled(tables: JournalTables): Generator<void, void> {
  yield* pages(
    (after) => tables.unsettled.page(after, PIECE_ROWS_MAX),
    (key) => {
      if (!isOpen(tables, key)) {
        throw strayAction(tables, key);
      }
    },
  );
}

function* pages(
  page: (after: ActionKey | undefined) => ActionKey[],
  check: (key: ActionKey) => void,
): Generator<void, void> {
  for (let keys = page(undefined); keys.length > 0; keys = page(keys.at(-1))) {
    keys.forEach(check);
    yield;
  }
}

function isOpen({ claims, settlements, abandonments }: JournalTables, { streamKey, actionId }: ActionKey): boolean {
  return (
    claims.has(streamKey, actionId) && !settlements.has(streamKey, actionId) && !abandonments.has(streamKey, actionId)
  );
}

function strayAction({ path }: JournalTables, { streamKey, actionId }: ActionKey): Error {
  return corruption(path, {
    subject: `list of unsettled claims, ${actionId} in stream ${streamKey}`,
    reason: "it does not say what the rows of the action say",
  });
}
