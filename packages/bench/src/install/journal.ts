import { createHash } from "node:crypto";
import { join } from "node:path";

import {
  claimRequest,
  decided,
  outcomeRequest,
  plain,
  SCRIPT_TIME,
  settleRequest,
  StreamScript,
} from "@mesh/install-engine/contract";
import { openJournal } from "@mesh/install-engine/sqlite";
import Database from "better-sqlite3";
import type { Bench, RunOptions } from "../harness/bench.ts";
import { ratioOf } from "../harness/blocks.ts";
import { inFolder } from "../harness/folder.ts";
import { timed } from "../harness/timed.ts";

/** Rows of one complete install: plan, decision, claim, outcome, receipt, settlement. */
const ROWS_PER_INSTALL = 6;
const ROWS_SMALL = 1_000;
const ROWS_LARGE = 100_000;
const ROWS_SMOKE = 120;
/** Opens of one block: a single one is over too soon to be measured. */
const OPENS = 5;

const clock = (): string => SCRIPT_TIME;

/** Writes a journal of complete installs through its public interface, one commit after another. */
async function writeJournal(path: string, rows: number): Promise<void> {
  await using journal = await openJournal({ path, clock });
  for (let install = 0; install * ROWS_PER_INSTALL < rows; install += 1) {
    const script = new StreamScript(`session-${install}`);
    await journal.commit(plain(script.plan("a")));
    const { record, action } = script.grant();
    await journal.commit(decided(record));
    await journal.claim(claimRequest(action, record));
    const result = await journal.recordOutcome(outcomeRequest(script.streamKey, action, "applied"));
    if (result.kind !== "recorded") throw new Error(`the outcome was ${result.kind}`);
    const { outcomeDigest } = result.outcome;
    await journal.commit(
      settleRequest(script.receipt(action, "applied", outcomeDigest), action, "applied", outcomeDigest),
    );
  }
}

function opens(path: string): () => Promise<number> {
  return () =>
    timed(async () => {
      for (let index = 0; index < OPENS; index += 1) await (await openJournal({ path, clock })).close();
    });
}

function largeRows({ smoke }: RunOptions): number {
  return smoke ? ROWS_SMOKE * 2 : ROWS_LARGE;
}

const openGrowth: Bench = {
  id: "journal.open.growth100k",
  unit: "times the small one",
  goal: { atMost: 2 },
  measure: (options) =>
    inFolder(async (folder) => {
      const [small, large] = [join(folder, "small", "journal.sqlite3"), join(folder, "large", "journal.sqlite3")];
      await writeJournal(small, options.smoke ? ROWS_SMOKE : ROWS_SMALL);
      await writeJournal(large, largeRows(options));
      const ratio = await ratioOf(opens(small), opens(large), options);
      return {
        value: ratio.value,
        range: ratio.range,
        peer: `a journal of ${options.smoke ? ROWS_SMOKE : ROWS_SMALL} rows`,
        detail: { rows: largeRows(options), openMs: ratio.peer / OPENS, smallOpenMs: ratio.ours / OPENS },
      };
    }),
};

/** Reads every row of every table and hashes every text in it: what no verification can do without. */
function readAndHash(database: Database.Database): Promise<void> {
  for (const table of ["entries", "records", "claims", "outcomes", "settlements"]) {
    for (const row of database.prepare<[], unknown[]>(`SELECT * FROM ${table}`).raw().iterate()) {
      for (const value of row) if (typeof value === "string") createHash("sha256").update(value).digest("hex");
    }
  }
  return Promise.resolve();
}

const verifyVersusRaw: Bench = {
  id: "journal.verify.vsRaw",
  unit: "times the raw read",
  goal: { atMost: 2.5 },
  measure: (options) =>
    inFolder(async (folder) => {
      const path = join(folder, "journal", "journal.sqlite3");
      // A tenth of the rows: the cost is linear, and sixteen blocks of both sides have to end.
      const rows = options.smoke ? ROWS_SMOKE : ROWS_LARGE / 10;
      await writeJournal(path, rows);
      await using journal = await openJournal({ path, clock, readOnly: true });
      const database = new Database(path, { readonly: true });
      try {
        const raw = (): Promise<number> => timed(() => readAndHash(database));
        const verify = (): Promise<number> =>
          timed(async () => {
            await journal.verify();
          });
        const ratio = await ratioOf(raw, verify, options);
        return {
          value: ratio.value,
          range: ratio.range,
          peer: "reading the same rows and hashing the same texts",
          detail: { rows, verifyMs: ratio.peer, rawMs: ratio.ours },
        };
      } finally {
        database.close();
      }
    }),
};

/** What the cost of a journal grows with. */
export const journalBenches: readonly Bench[] = [openGrowth, verifyVersusRaw];
