/**
 * A process or a thread that competes for a journal. Started with the module to open it by, so that it can be another
 * copy of the package; everything it found is printed as one JSON line.
 */
import { parentPort, workerData } from "node:worker_threads";
import { pathToFileURL } from "node:url";
import { claimRequest, outcomeRequest, settleRequest, StreamScript } from "../../src/contract/index.ts";
import type { JournalStore } from "../../src/journal.ts";

/** What one contender is told. */
export interface ContenderTask {
  /** Path of the module that has `openJournal`. */
  readonly module: string;
  readonly journal: string;
  /** Sessions whose granted action is to be claimed, observed and settled. */
  readonly sessions: readonly string[];
}

/** How often a contender was first with each step. */
export interface ContenderResult {
  readonly claims: number;
  readonly outcomes: number;
  readonly settlements: number;
}

interface SqliteModule {
  readonly openJournal: (options: { readonly path: string; readonly clock: () => string }) => Promise<JournalStore>;
}

/** Races through every session: claims, records what it would have seen, and settles. */
export async function contend({ module, journal: path, sessions }: ContenderTask): Promise<ContenderResult> {
  const { openJournal } = (await import(pathToFileURL(module).href)) as SqliteModule;
  const journal = await openJournal({ path, clock: () => "2026-08-01T12:00:00Z" });
  const won = { claims: 0, outcomes: 0, settlements: 0 };
  try {
    for (const session of sessions) {
      const script = new StreamScript(session);
      script.plan("a");
      const { record, action } = script.grant();
      const claim = await journal.claim(claimRequest(action, record));
      won.claims += claim.won ? 1 : 0;
      const outcome = await journal.recordOutcome(outcomeRequest(script.streamKey, action, "applied"));
      won.outcomes += outcome.kind === "recorded" ? 1 : 0;
      if (outcome.kind !== "recorded" && outcome.kind !== "duplicate" && outcome.kind !== "already-settled") {
        throw new Error(`unexpected outcome result ${outcome.kind}`);
      }
      const status = await journal.status({ streamKey: script.streamKey, actionId: action.actionId });
      if (status.state !== "outcome-recorded" && status.state !== "settled") {
        throw new Error(`unexpected state ${status.state}`);
      }
      const { outcomeDigest } = status.outcome;
      const receipt = script.receipt(action, "applied", outcomeDigest);
      const settled = await journal.commit(settleRequest(receipt, action, "applied", outcomeDigest));
      won.settlements += settled.kind === "committed" ? 1 : 0;
      if (settled.kind !== "committed" && settled.kind !== "duplicate") {
        throw new Error(`unexpected settlement result ${settled.kind}`);
      }
    }
  } finally {
    await journal.close();
  }
  return won;
}

if (parentPort !== null) {
  parentPort.postMessage(await contend(workerData as ContenderTask));
} else if (process.argv[2] !== undefined && process.argv[1] === import.meta.filename) {
  console.log(JSON.stringify(await contend(JSON.parse(process.argv[2]) as ContenderTask)));
}
