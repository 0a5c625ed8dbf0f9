import { join } from "node:path";

import type { Bench } from "../harness/bench.ts";
import { inFolder } from "../harness/folder.ts";
import { openInstallParts } from "./parts.ts";
import { walCommits } from "./wal-commits.ts";

/** Commits of an install before its consent is decided: the plan. */
const PLAN_COMMITS = 1;

/** Transactions from the consent decision to the settlement, both included, counted in the bytes of SQLite's own log. */
export const commitsBench: Bench = {
  id: "install.commits",
  unit: "commits",
  goal: { exactly: 4 },
  measure: () =>
    inFolder(async (folder) => {
      await using parts = await openInstallParts(folder);
      const log = join(folder, "journal", "journal.sqlite3-wal");
      // The first install may also write what a new journal writes once.
      await parts.install("first");
      const before = walCommits(log);
      await parts.install("second");
      const value = walCommits(log) - before - PLAN_COMMITS;
      return { value, range: [value, value], detail: { withThePlan: value + PLAN_COMMITS } };
    }),
};
