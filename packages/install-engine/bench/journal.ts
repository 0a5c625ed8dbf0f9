/**
 * Measures what the cost of a journal grows with. Run it with `node bench/journal.ts [rows]` on a quiet machine; it prints
 * one JSON line. Nothing here is a test: tests assert no times.
 *
 * - `openGrowth`: opening a journal of `rows` rows / of 1,000 rows (medians).
 * - `verifyVsRaw`: a full verification / reading the same rows and hashing the same bytes with node:crypto.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import {
  claimRequest,
  outcomeRequest,
  plain,
  SCRIPT_TIME,
  settleRequest,
  StreamScript,
} from "../src/contract/index.ts";
import { Appender } from "../src/sqlite/append.ts";
import { writeCheckpoint } from "../src/sqlite/checkpoint.ts";
import { claim } from "../src/sqlite/claim.ts";
import { commit } from "../src/sqlite/commit.ts";
import { openConnection } from "../src/sqlite/connection.ts";
import { openJournal } from "../src/sqlite/index.ts";
import { prepareTables } from "../src/sqlite/journal-tables.ts";
import { recordOutcome } from "../src/sqlite/outcome.ts";
import { VerifiedRows } from "../src/sqlite/verified-rows.ts";
import type { WriteContext } from "../src/sqlite/write-context.ts";

const clock = (): string => SCRIPT_TIME;
const ROWS_PER_INSTALL = 6;
const ROUNDS = 15;
const scratch = mkdtempSync(join(realpathSync(tmpdir()), "mesh-journal-bench-"));

/** A journal of complete installs, written in one transaction, because only its reading is measured. */
async function makeJournal(rows: number): Promise<string> {
  const path = join(scratch, String(rows), "journal.sqlite3");
  await (await openJournal({ path, clock })).close();
  const connection = openConnection(path, { readOnly: false });
  const tables = prepareTables(connection, path);
  connection.exec("BEGIN IMMEDIATE");
  const appender = new Appender(tables, tables.chain.head());
  const context: WriteContext = { tables, rows: new VerifiedRows(tables), appender, now: clock };
  for (let install = 0; install * ROWS_PER_INSTALL < rows; install += 1) {
    addInstall(context, `session-${install}`);
  }
  writeCheckpoint(connection, appender.head);
  connection.exec("COMMIT");
  connection.close();
  return path;
}

function addInstall(context: WriteContext, session: string): void {
  const script = new StreamScript(session);
  commit(context, plain(script.plan("a")));
  const { record, action } = script.grant();
  commit(context, plain(record));
  claim(context, claimRequest(action, record));
  const result = recordOutcome(context, outcomeRequest(script.streamKey, action, "applied"));
  if (result.kind !== "recorded") throw new Error(result.kind);
  const { outcomeDigest } = result.outcome;
  commit(context, settleRequest(script.receipt(action, "applied", outcomeDigest), action, "applied", outcomeDigest));
}

async function median(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await measure());
  return times.sort((left, right) => left - right)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
}

async function openMs(path: string): Promise<number> {
  const start = performance.now();
  const journal = await openJournal({ path, clock });
  const ms = performance.now() - start;
  await journal.close();
  return ms;
}

async function verifyMs(path: string): Promise<number> {
  await using journal = await openJournal({ path, clock });
  const start = performance.now();
  await journal.verify();
  return performance.now() - start;
}

/** The floor: every row of every table read once, and every text in it hashed once. */
function rawMs(path: string): Promise<number> {
  const database = new Database(path, { readonly: true });
  const start = performance.now();
  for (const table of ["entries", "records", "claims", "outcomes", "settlements"]) {
    for (const row of database.prepare<[], unknown[]>(`SELECT * FROM ${table}`).raw().iterate()) {
      for (const value of row) {
        if (typeof value === "string") createHash("sha256").update(value).digest("hex");
      }
    }
  }
  const ms = performance.now() - start;
  database.close();
  return Promise.resolve(ms);
}

try {
  const rows = Number(process.argv[2] ?? 100_000);
  const [small, large] = [await makeJournal(1_000), await makeJournal(rows)];
  const [openSmallMs, openLargeMs] = [await median(() => openMs(small)), await median(() => openMs(large))];
  const [verify, raw] = [await verifyMs(large), await rawMs(large)];
  console.log(
    JSON.stringify({
      rows,
      openSmallMs,
      openLargeMs,
      openGrowth: openLargeMs / openSmallMs,
      verifyMs: verify,
      rawMs: raw,
      verifyVsRaw: verify / raw,
    }),
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
