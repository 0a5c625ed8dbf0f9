import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  claimRequest,
  outcomeRequest,
  decided,
  plain,
  SCRIPT_TIME,
  settleRequest,
  StreamScript,
} from "../../src/contract/stream-script.ts";
import { openJournal } from "../../src/sqlite/index.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(realpathSync(tmpdir()), "journal-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

test("an install goes from plan to settlement, and another opening finds it", async () => {
  const path = join(directory, "state", "journal.sqlite3");
  const clock = () => SCRIPT_TIME;
  const script = new StreamScript("session-1");
  {
    await using journal = await openJournal({ path, clock });
    expect(await journal.commit(plain(script.plan("a")))).toMatchObject({ kind: "committed" });
    const { record, action } = script.grant();
    expect(await journal.commit(decided(record))).toMatchObject({ kind: "committed" });
    expect(await journal.claim(claimRequest(action, record))).toMatchObject({ kind: "claimed", won: true });
    expect(await journal.unsettledClaims({ limit: 10 })).toHaveLength(1);
    const outcome = await journal.recordOutcome(outcomeRequest(script.streamKey, action, "applied"));
    if (outcome.kind !== "recorded") throw new Error(outcome.kind);
    const { outcomeDigest } = outcome.outcome;
    const receipt = script.receipt(action, "applied", outcomeDigest);
    expect(await journal.commit(settleRequest(receipt, action, "applied", outcomeDigest))).toMatchObject({
      kind: "committed",
    });
    expect(await journal.status({ streamKey: script.streamKey, actionId: action.actionId })).toMatchObject({
      state: "settled",
    });
    expect(await journal.unsettledClaims({ limit: 10 })).toEqual([]);
  }
  await using again = await openJournal({ path, readOnly: true });
  const snapshot = await again.snapshot(script.streamKey);
  expect(snapshot).toMatchObject({ revision: 3, recordDigest: script.head.recordDigest });
  expect(await again.verify()).toMatchObject({ streams: 1, records: 3, claims: 1, outcomes: 1, settlements: 1 });
});

test("a journal whose directory was removed meanwhile can still be closed", async () => {
  const journal = await openJournal({ path: join(directory, "state", "journal.sqlite3") });
  rmSync(join(directory, "state"), { recursive: true });
  await journal.close();
});
