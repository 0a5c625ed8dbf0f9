/**
 * Works on a journal until it is killed, kills itself after a number of changes, or is refused one: it then says so and
 * ends with a status of its own. Before each change it says what it is
 * about to do, after it that it was done: a change that was said to be done must be there afterwards.
 */
import { writeSync } from "node:fs";
import {
  claimRequest,
  outcomeRequest,
  decided,
  plain,
  SCRIPT_TIME,
  settleRequest,
  StreamScript,
} from "../../src/contract/index.ts";
import { InstallEngineError } from "../../src/error.ts";
import { openJournal } from "../../src/sqlite/index.ts";

const [, , path, changesMax] = process.argv;
if (path === undefined || changesMax === undefined) {
  throw new Error("usage: crash-child.ts JOURNAL CHANGES_MAX");
}
const journal = await openJournal({ path, clock: () => SCRIPT_TIME });
let changes = 0;
const REFUSED_STATUS = 3;

/** Written at once and by a system call: what was printed has left the process. */
function changed(...rows: readonly string[]): void {
  changes += 1;
  writeSync(1, rows.map((row) => `${row}\n`).join(""));
  if (changes >= Number(changesMax)) {
    process.kill(process.pid, "SIGKILL");
  }
}

async function work(session: number): Promise<void> {
  const script = new StreamScript(`session-${session}`);
  await journal.commit(plain(script.plan("a")));
  changed(`record ${script.head.eventId}`);
  const { record, action } = script.grant();
  await journal.commit(decided(record));
  changed(`record ${record.eventId}`);
  await journal.claim(claimRequest(action, record));
  changed(`claim ${action.actionId}`);
  const result = await journal.recordOutcome(outcomeRequest(script.streamKey, action, "applied"));
  if (result.kind !== "recorded") throw new Error(result.kind);
  changed(`outcome ${action.actionId}`);
  const { outcomeDigest } = result.outcome;
  const receipt = script.receipt(action, "applied", outcomeDigest);
  await journal.commit(settleRequest(receipt, action, "applied", outcomeDigest));
  changed(`record ${receipt.eventId}`, `settlement ${action.actionId}`);
}

const first = (await journal.streams({}, { limit: 1_000_000 })).length + 1;
try {
  for (let session = first; ; session += 1) {
    await work(session);
  }
} catch (error) {
  if (!(error instanceof InstallEngineError)) throw error;
  writeSync(1, `failed ${error.code} ${String(error.facts["sqliteCode"])}\n`);
  process.exitCode = REFUSED_STATUS;
}
