import { randomUUID } from "node:crypto";
import { join } from "node:path";

import Database from "better-sqlite3";
import type { Bench } from "../harness/bench.ts";
import { ratioOf, type Side } from "../harness/blocks.ts";
import { inFolder } from "../harness/folder.ts";
import { timed } from "../harness/timed.ts";
import { type InstallParts, openInstallParts, skillBody } from "./parts.ts";

const INSTALLS = 40;
const INSTALLS_SMOKE = 2;
/** Commits of one install with its plan. */
const COMMITS = 5;
/** What one commit of the journal writes, in bytes: records carry the state and the transition of the stream. */
const ROW_BYTES = 4096;

function engineSide(parts: InstallParts, installs: number): Side {
  return () =>
    timed(async () => {
      for (let index = 0; index < installs; index += 1) await parts.install(randomUUID());
    });
}

/** As many bare commits as an install makes, and one bare durable put, by the same store. */
function partsSide(parts: InstallParts, database: Database.Database, installs: number): Side {
  const insert = database.prepare("INSERT INTO rows (text) VALUES (?)");
  const row = "x".repeat(ROW_BYTES);
  return () =>
    timed(async () => {
      for (let index = 0; index < installs; index += 1) {
        for (let commit = 0; commit < COMMITS; commit += 1) insert.run(row);
        await parts.store.put(new TextEncoder().encode(skillBody(randomUUID())));
      }
    });
}

/** One 4 KiB skill from plan to settlement, against the sum of what it cannot do without. */
export const versusPartsBench: Bench = {
  id: "install.vsParts",
  unit: "times the parts",
  goal: { atMost: 1.5 },
  measure: (options) =>
    inFolder(async (folder) => {
      await using parts = await openInstallParts(folder);
      const database = new Database(join(folder, "raw.sqlite3"));
      try {
        database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (text TEXT) STRICT");
        const installs = options.smoke ? INSTALLS_SMOKE : INSTALLS;
        // Ours is the numerator here, so the sides change places.
        const ratio = await ratioOf(partsSide(parts, database, installs), engineSide(parts, installs), options);
        return {
          value: ratio.value,
          range: ratio.range,
          peer: `${COMMITS} raw SQLite FULL commits and one bare durable put`,
          detail: { installs, installMs: ratio.peer / installs, partsMs: ratio.ours / installs },
        };
      } finally {
        database.close();
      }
    }),
};
