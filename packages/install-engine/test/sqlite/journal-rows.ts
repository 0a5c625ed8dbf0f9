import Database from "better-sqlite3";

/** What a journal has, in the words of crash-child.ts. */
export function journalRows(path: string): Set<string> {
  const database = new Database(path, { readonly: true });
  const rows = database
    .prepare<[], { said: string }>(
      `SELECT 'record ' || event_id AS said FROM records UNION ALL SELECT 'claim ' || action_id FROM claims UNION ALL
       SELECT 'outcome ' || action_id FROM outcomes UNION ALL SELECT 'settlement ' || action_id FROM settlements`,
    )
    .all();
  database.close();
  return new Set(rows.map((row) => row.said));
}
