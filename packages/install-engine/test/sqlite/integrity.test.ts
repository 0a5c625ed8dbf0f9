import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  claimRequest,
  outcomeRequest,
  decided,
  plain,
  SCRIPT_TIME,
  settleRequest,
  StreamScript,
  withGuard,
} from "../../src/contract/index.ts";
import { sha256Hex } from "../../src/digest.ts";
import {
  type InstallClaim,
  installClaimDigest,
  installSettlementDigest,
  journalEntryDigest,
  journalRecordDigest,
} from "../../src/journal/rows.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { refused } from "./refused.ts";
import { scratchDirectory } from "./scratch.ts";

const scratch = scratchDirectory();
afterAll(scratch.remove);

const clock = (): string => SCRIPT_TIME;
const original = join(scratch.path, "original", "journal.sqlite3");
let copies = 0;

/** One stream settled, one abandoned, one claimed and open, one only planned: a row of every kind. */
beforeAll(async () => {
  await using journal = await openJournal({ path: original, clock });
  for (const [index, end] of (["settled", "abandoned", "claimed", "planned"] as const).entries()) {
    const script = new StreamScript(`session-${index}`);
    await journal.commit(plain(script.plan("a")));
    const { record, action } = script.grant();
    await journal.commit(decided(record));
    if (end === "planned") continue;
    await journal.claim({ ...claimRequest(action, record), besideText: '{"device":"1"}' });
    if (end === "abandoned") await journal.commit(withGuard(script.abandon(action), action, "abandon"));
    if (end !== "settled") continue;
    const result = await journal.recordOutcome(outcomeRequest(script.streamKey, action, "applied"));
    if (result.kind !== "recorded") throw new Error(result.kind);
    const { outcomeDigest } = result.outcome;
    const receipt = script.receipt(action, "applied", outcomeDigest);
    await journal.commit(settleRequest(receipt, action, "applied", outcomeDigest));
  }
  expect(await journal.verify()).toMatchObject({
    records: 10,
    claims: 3,
    outcomes: 1,
    settlements: 1,
    abandonments: 1,
  });
});

/** A copy of the journal that somebody has worked on. */
function tampered(work: (database: Database.Database) => void): string {
  copies += 1;
  const directory = join(scratch.path, `copy-${copies}`);
  mkdirSync(directory, { mode: 0o700 });
  const path = join(directory, "journal.sqlite3");
  copyFileSync(original, path);
  const database = new Database(path);
  database.pragma("foreign_keys = OFF");
  database.pragma("ignore_check_constraints = ON");
  work(database);
  database.close();
  return path;
}

/** Demands that damage is found, by opening (all is after the checkpoint) and by a full verification, and not repaired. */
async function damageFound(path: string): Promise<{ subject: string; reason: string; sequence: unknown }> {
  const before = readFileSync(path);
  const error = await refused("JOURNAL_CORRUPT", openVerified(path));
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(error.message).toContain(path);
  const { subject, reason, sequence } = error.facts;
  return { subject: String(subject), reason: String(reason), sequence };
}

async function openVerified(path: string): Promise<void> {
  await using journal = await openJournal({ path, clock });
  await journal.verify();
}

const TABLES = [
  "entries",
  "streams",
  "records",
  "claims",
  "outcomes",
  "settlements",
  "abandonments",
  "unsettled",
] as const;

describe("any change of the file is found", () => {
  test("any change of any one value in any row of any table", async () => {
    const cells = listCells();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...cells), fc.nat(), async (cell, seed) => {
        const path = tampered((database) => {
          changeCell(database, cell, seed);
        });
        await damageFound(path);
      }),
      { numRuns: 40 },
    );
  });

  test("the removal of any one row of any table", async () => {
    for (const table of TABLES) {
      const count = rowCount(table);
      for (let index = 0; index < count; index += 1) {
        const path = tampered((database) => {
          const rowid = keyOf(database, table, index);
          database.prepare(`DELETE FROM ${table} WHERE ${rowid.where}`).run(...rowid.values);
        });
        // Without the newest row and its link what is left is a shorter journal: see suffix-loss.test.ts.
        await damageFound(path);
      }
    }
  });

  test("two rows of a kind that changed places", async () => {
    for (const table of ["records", "claims"] as const) {
      const path = tampered((database) => {
        const [first, second] = database.prepare<[], { sequence: number }>(`SELECT sequence FROM ${table}`).all();
        const move = database.prepare(`UPDATE ${table} SET sequence = ? WHERE sequence = ?`);
        move.run(1000, first?.sequence);
        move.run(first?.sequence, second?.sequence);
        move.run(second?.sequence, 1000);
      });
      const { sequence, subject } = await damageFound(path);
      expect(subject).toContain(table.slice(0, -1));
      expect(typeof sequence).toBe("number");
    }
  });
});

interface Cell {
  readonly table: (typeof TABLES)[number];
  readonly row: number;
  readonly column: string;
}

function listCells(): Cell[] {
  const database = new Database(original, { readonly: true });
  const cells = TABLES.flatMap((table) => {
    const columns = database.prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${table}')`).all();
    const { count } = database.prepare<[], { count: number }>(`SELECT count(*) AS count FROM ${table}`).get() ?? {
      count: 0,
    };
    return Array.from({ length: count }, (_, row) => columns.map(({ name }) => ({ table, row, column: name }))).flat();
  });
  database.close();
  return cells;
}

function rowCount(table: (typeof TABLES)[number]): number {
  return new Set(
    listCells()
      .filter((cell) => cell.table === table)
      .map((cell) => cell.row),
  ).size;
}

function keyOf(
  database: Database.Database,
  table: (typeof TABLES)[number],
  index: number,
): { where: string; values: unknown[] } {
  const columns =
    table === "streams" ? ["stream_key"] : table === "unsettled" ? ["stream_key", "action_id"] : ["sequence"];
  const row = database
    .prepare<[number], Record<string, unknown>>(
      `SELECT ${columns.join(", ")} FROM ${table} ORDER BY 1, ${columns.length} LIMIT 1 OFFSET ?`,
    )
    .get(index);
  return {
    where: columns.map((column) => `${column} = ?`).join(" AND "),
    values: columns.map((column) => row?.[column]),
  };
}

/** Changes one value to another of its type that no rule of the table forbids; or to NULL where that is allowed. */
function changeCell(database: Database.Database, { table, row, column }: Cell, seed: number): void {
  const key = keyOf(database, table, row);
  const found = database
    .prepare<unknown[], { value: string | number | null }>(`SELECT ${column} AS value FROM ${table} WHERE ${key.where}`)
    .get(...key.values);
  const value = found?.value ?? null;
  const changed =
    typeof value === "number"
      ? value + 1000 + (seed % 1000)
      : value === null
        ? sha256Hex(String(seed))
        : value.length === 0
          ? "x"
          : flipped(value, seed);
  database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key.where}`).run(changed, ...key.values);
}

function flipped(text: string, seed: number): string {
  const index = seed % text.length;
  return text.slice(0, index) + (text[index] === "0" ? "1" : "0") + text.slice(index + 1);
}

describe("a forged row with right digests is refused by what it points to", () => {
  test("a claim whose expiry was extended", async () => {
    const { subject, reason } = await damageFound(forgeClaim({ actionExpiresAt: "2099-01-01T00:00:00Z" }));
    expect(subject).toMatch(/^claim of action-/);
    expect(reason).toContain("actionExpiresAt");
  });

  test("a claim that names another issuing record, head, state or time", async () => {
    const wrong = "0".repeat(64);
    const changes: readonly Partial<InstallClaim>[] = [
      { issuingRecordDigest: wrong },
      { claimedHeadRecordDigest: wrong },
      { claimedHeadStateDigest: wrong },
      { claimedHeadRevision: 1 },
      { claimedAt: "2026-08-01T13:00:00Z" },
      { executionBindingDigest: wrong },
    ];
    for (const change of changes) {
      expect((await damageFound(forgeClaim(change))).subject).toMatch(/^claim of action-/);
    }
  });

  test("a settlement that names a receipt that does not exist, or another record", async () => {
    for (const change of [{ receiptEventId: "nowhere" }, { receiptEventId: "event-session-0-1" }]) {
      const path = tampered((database) => {
        const row = rowOf(database, "settlements");
        const forged = { ...row, ...change };
        const digest = installSettlementDigest(forged);
        database
          .prepare("UPDATE settlements SET receipt_event_id = ?, settlement_digest = ?")
          .run(forged.receiptEventId, digest);
        reseal(database, row.sequence, digest);
      });
      expect((await damageFound(path)).subject).toMatch(/^settlement of action-/);
    }
  });

  test("a record whose texts, digests and link were all made anew breaks what was built on it", async () => {
    const path = tampered((database) => {
      const row = database
        .prepare<[], Record<string, never> & { sequence: number; transition_json: string }>(
          "SELECT * FROM records WHERE sequence = 2",
        )
        .get();
      if (row === undefined) throw new Error("no record");
      const transition = row.transition_json.replaceAll("plan-session-0", "plan-session-9");
      database
        .prepare("UPDATE records SET transition_json = ?, transition_digest = ? WHERE sequence = 2")
        .run(transition, sha256Hex(transition));
      const changed = rowOf(database, "records", 2);
      const digest = journalRecordDigest(changed);
      database.prepare("UPDATE records SET record_digest = ? WHERE sequence = 2").run(digest);
      reseal(database, 2, digest);
    });
    expect((await damageFound(path)).subject).toMatch(/^claim of action-/);
  });
});

/** A row by its members; the digests of the forgeries are computed by the functions of the core. */
function rowOf(
  database: Database.Database,
  table: "settlements",
  sequence?: number,
): Parameters<typeof installSettlementDigest>[0] & { sequence: number };
function rowOf(database: Database.Database, table: "claims", sequence?: number): InstallClaim & { sequence: number };
function rowOf(
  database: Database.Database,
  table: "records",
  sequence?: number,
): Parameters<typeof journalRecordDigest>[0] & { sequence: number };
function rowOf(database: Database.Database, table: string, sequence?: number): object {
  const row = database
    .prepare<[], Record<string, unknown>>(
      `SELECT * FROM ${table} ${sequence === undefined ? "ORDER BY sequence LIMIT 1" : `WHERE sequence = ${sequence}`}`,
    )
    .get();
  const named = Object.entries(row ?? {}).map(([column, value]) => [
    column.replace(/_json$/, "_text").replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(named) as object;
}

function forgeClaim(change: Partial<InstallClaim>): string {
  return tampered((database) => {
    const row = rowOf(database, "claims");
    const forged = { ...row, ...change };
    const digest = installClaimDigest(forged);
    const columns = Object.keys(change).map(
      (member) => `${member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} = ?`,
    );
    database
      .prepare(`UPDATE claims SET ${columns.join(", ")}, claim_digest = ? WHERE sequence = ?`)
      .run(...Object.values(change), digest, row.sequence);
    reseal(database, row.sequence, digest);
  });
}

/** Puts another row digest into the chain and makes every link after it anew, as a forger with this source code would. */
function reseal(database: Database.Database, sequence: number, rowDigest: string): void {
  database.prepare("UPDATE entries SET row_digest = ? WHERE sequence = ?").run(rowDigest, sequence);
  const besides = new Map(
    database
      .prepare<[], { sequence: number; beside_json: string | null }>(
        "SELECT sequence, beside_json FROM claims UNION ALL SELECT sequence, beside_json FROM outcomes",
      )
      .all()
      .map((row) => [row.sequence, row.beside_json]),
  );
  let previousEntryDigest: string | null = null;
  for (const entry of database
    .prepare<[], { sequence: number; kind: "record"; row_digest: string }>("SELECT * FROM entries ORDER BY sequence")
    .all()) {
    const digest: string = journalEntryDigest({
      sequence: entry.sequence,
      kind: entry.kind,
      rowDigest: entry.row_digest,
      besideText: besides.get(entry.sequence) ?? null,
      previousEntryDigest,
    });
    database.prepare("UPDATE entries SET entry_digest = ? WHERE sequence = ?").run(digest, entry.sequence);
    previousEntryDigest = digest;
  }
}

describe("a schema that is not exactly the format's is refused, and not rebuilt", () => {
  const changes = [
    ["a trigger", "CREATE TRIGGER t AFTER INSERT ON claims BEGIN DELETE FROM claims; END", "t"],
    ["a table more", "CREATE TABLE extra (x)", "extra"],
    ["a view more", "CREATE VIEW v AS SELECT * FROM claims", "v"],
    ["an index more", "CREATE INDEX i ON claims (claimed_at)", "i"],
    ["a table less", "DROP TABLE abandonments", "abandonments"],
    ["a column more", "ALTER TABLE outcomes ADD COLUMN extra TEXT", "outcomes"],
    ["a column of another name", "ALTER TABLE settlements RENAME COLUMN outcome TO result", "settlements"],
    ["another format name", "UPDATE format SET name = 'something else'", "format"],
    ["no format row", "DELETE FROM format", "format"],
  ] as const;
  for (const [name, sql, subject] of changes) {
    for (const readOnly of [false, true]) {
      test(`${name}${readOnly ? ", read-only" : ""}`, async () => {
        const path = tampered((database) => {
          database.exec(sql);
        });
        const bytes = readFileSync(path);
        const error = await refused("JOURNAL_CORRUPT", openJournal({ path, readOnly }));
        expect(String(error.facts["subject"])).toContain(subject);
        expect(readFileSync(path).equals(bytes)).toBe(true);
      });
    }
  }
});

describe("the checkpoint is checked itself", () => {
  const changes = [
    ["moved without its seal", "UPDATE checkpoint SET sequence = 5"],
    ["removed", "DELETE FROM checkpoint"],
    ["another digest", `UPDATE checkpoint SET checkpoint_digest = '${"0".repeat(64)}'`],
  ] as const;
  for (const [name, sql] of changes) {
    test(name, async () => {
      const path = tampered((database) => {
        database.exec(sql);
      });
      expect((await damageFound(path)).subject).toBe("checkpoint");
    });
  }
});
