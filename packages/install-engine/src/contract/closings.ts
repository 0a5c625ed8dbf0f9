import assert from "node:assert/strict";
import type { CommitRequest } from "../journal.ts";
import {
  claimed,
  committed,
  type ContractTest,
  type Granted,
  grantInstall,
  observed,
  race,
  refusedUnchanged,
  type Rig,
} from "./rig.ts";
import { outcomeRequest, settleRequest, type StreamScript, withGuard } from "./stream-script.ts";

/** What every store does with the events that close an action: settlement, abandonment, and rebinding before them. */
export function closingContract(test: ContractTest): void {
  settlement(test);
  settlementRaces(test);
  abandonment(test);
  rebinding(test);
}

/** A claim with a recorded outcome, the commit that settles it, and the history without that commit. */
async function readyToSettle(
  rig: Rig,
  outcome: "applied" | "failed",
): Promise<Granted & { readonly fork: StreamScript; readonly settle: CommitRequest }> {
  const journal = await rig.store();
  const granted = await grantInstall(journal, "session-settle");
  await claimed(journal, granted);
  const { outcomeDigest } = await observed(journal, granted, outcome);
  const fork = granted.script.fork();
  const receipt = granted.script.receipt(granted.action, outcome, outcomeDigest);
  return { ...granted, fork, settle: settleRequest(receipt, granted.action, outcome, outcomeDigest) };
}

function settlement(test: ContractTest): void {
  for (const outcome of ["applied", "failed"] as const) {
    test(`a receipt settles its action once: ${outcome}`, async (rig) => {
      const { script, action, settle } = await readyToSettle(rig, outcome);
      const journal = await rig.store();
      assert.equal((await journal.unsettledClaims({ limit: 10 })).length, 1);
      assert.equal((await journal.commit(settle)).kind, "committed");
      const status = await journal.status({ streamKey: script.streamKey, actionId: action.actionId });
      assert.equal(status.state, "settled");
      assert.ok("settlement" in status);
      assert.equal(status.settlement.outcome, outcome);
      assert.equal(status.settlement.receiptEventId, settle.record.eventId);
      assert.equal(status.settlement.receiptRecordDigest, settle.record.recordDigest);
      assert.deepEqual(await journal.unsettledClaims({ limit: 10 }), []);
      const head = await journal.head();
      assert.deepEqual(await journal.commit(settle), { kind: "duplicate", record: settle.record });
      assert.deepEqual(await journal.head(), head);
    });
  }

  test("a receipt needs a claim, then an outcome, and exactly the recorded one", async (rig) => {
    const journal = await rig.store();
    const granted = await grantInstall(journal);
    const { script, action } = granted;
    const wrong = "0".repeat(64);
    const early = settleRequest(script.receipt(action, "applied", wrong), action, "applied", wrong);
    const before = await journal.head();
    assert.equal((await journal.commit(early)).kind, "claim-required");
    assert.deepEqual(await journal.head(), before);
    await claimed(journal, granted);
    assert.equal((await journal.commit(early)).kind, "outcome-required");
    const outcome = await observed(journal, granted, "failed");
    assert.deepEqual(await journal.commit(early), { kind: "outcome-conflict", outcome });
  });

  test("a receipt of another kind or outcome than its guard is refused", async (rig) => {
    const { action, settle } = await readyToSettle(rig, "applied");
    const journal = await rig.store();
    assert.ok(settle.guard.kind === "settle");
    const guards = [
      { ...settle.guard, outcome: "failed" as const },
      { ...settle.guard, outcomeDigest: "0".repeat(64) },
      { ...settle.guard, actionId: `action-${"0".repeat(64)}` },
    ];
    for (const guard of guards) {
      await refusedUnchanged(journal, "INVALID_VALUE", () => journal.commit({ record: settle.record, guard }));
    }
    assert.equal(
      (await journal.status({ streamKey: settle.record.streamKey, actionId: action.actionId })).state,
      "outcome-recorded",
    );
  });

  test("a receipt for a head that moved is a revision conflict that settles nothing", async (rig) => {
    const { script, action, fork, settle } = await readyToSettle(rig, "applied");
    const journal = await rig.store();
    const later = fork.plan("later");
    await committed(journal, later);
    const head = { revision: later.revision, recordDigest: later.recordDigest };
    assert.deepEqual(await journal.commit(settle), { kind: "revision-conflict", head });
    const key = { streamKey: script.streamKey, actionId: action.actionId };
    assert.equal((await journal.status(key)).state, "outcome-recorded");
    assert.equal((await journal.unsettledClaims({ limit: 10 })).length, 1);
    assert.ok(settle.guard.kind === "settle");
    const again = fork.receipt(action, "applied", settle.guard.outcomeDigest);
    assert.equal((await journal.commit({ ...settle, record: again })).kind, "committed");
    assert.equal((await journal.status(key)).state, "settled");
  });
}

function settlementRaces(test: ContractTest): void {
  test("of many settlements of one action by many stores exactly one is committed", async (rig) => {
    const { settle } = await readyToSettle(rig, "applied");
    const stores = await Promise.all(Array.from({ length: 4 }, () => rig.store()));
    const results = await race(stores, 12, (store) => store.commit(settle));
    const kinds = results.map((result) => result.kind).sort();
    assert.deepEqual(kinds, ["committed", ...Array.from({ length: 11 }, () => "duplicate")]);
    assert.equal((await stores[0]?.verify())?.settlements, 1);
  });

  test("of an outcome and an abandonment that race one wins and the other is told", async (rig) => {
    const [first, second] = [await rig.store(), await rig.store()];
    for (let round = 0; round < 6; round += 1) {
      const granted = await grantInstall(first, `session-${round}`);
      await claimed(first, granted);
      const { script, action } = granted;
      const abandon = withGuard(script.abandon(action), action, "abandon");
      const [outcome, abandoned] = await Promise.all([
        first.recordOutcome(outcomeRequest(script.streamKey, action, "applied")),
        second.commit(abandon),
      ]);
      const found = `${outcome.kind}, ${abandoned.kind}`;
      assert.ok(["recorded, outcome-conflict", "abandoned, committed"].includes(found), found);
    }
    await first.verify();
  });
}

function abandonment(test: ContractTest): void {
  test("a claim without an outcome can be abandoned, once, and then takes neither outcome nor settlement", async (rig) => {
    const journal = await rig.store();
    const granted = await grantInstall(journal);
    const { script, action } = granted;
    await claimed(journal, granted);
    const record = script.abandon(action);
    assert.equal((await journal.commit(withGuard(record, action, "abandon"))).kind, "committed");
    const status = await journal.status({ streamKey: script.streamKey, actionId: action.actionId });
    assert.equal(status.state, "abandoned");
    assert.equal("abandonment" in status && status.abandonment.eventId, record.eventId);
    assert.deepEqual(await journal.unsettledClaims({ limit: 10 }), []);
    const late = await journal.recordOutcome(outcomeRequest(script.streamKey, action, "applied"));
    assert.equal(late.kind, "abandoned");
    assert.equal((await journal.verify()).abandonments, 1);
  });

  test("what is not claimed, or has an outcome, cannot be abandoned", async (rig) => {
    const journal = await rig.store();
    const unclaimed = await grantInstall(journal, "session-1");
    const early = withGuard(unclaimed.script.abandon(unclaimed.action), unclaimed.action, "abandon");
    assert.equal((await journal.commit(early)).kind, "claim-required");
    const seen = await grantInstall(journal, "session-2");
    await claimed(journal, seen);
    const outcome = await observed(journal, seen, "failed");
    const late = withGuard(seen.script.abandon(seen.action), seen.action, "abandon");
    assert.deepEqual(await journal.commit(late), { kind: "outcome-conflict", outcome });
  });
}

function rebinding(test: ContractTest): void {
  test("an open claim can be rebound, and stays open", async (rig) => {
    const journal = await rig.store();
    const granted = await grantInstall(journal);
    const { script, action } = granted;
    await claimed(journal, granted);
    assert.equal((await journal.commit(withGuard(script.rebind(action), action, "rebind"))).kind, "committed");
    const status = await journal.status({ streamKey: script.streamKey, actionId: action.actionId });
    assert.equal(status.state, "claimed");
    assert.equal((await journal.unsettledClaims({ limit: 10 })).length, 1);
  });

  test("what is not claimed, settled or abandoned cannot be rebound", async (rig) => {
    const journal = await rig.store();
    const unclaimed = await grantInstall(journal, "session-1");
    const request = (of: Granted): CommitRequest => withGuard(of.script.rebind(of.action), of.action, "rebind");
    assert.equal((await journal.commit(request(unclaimed))).kind, "claim-required");
    const abandoned = await grantInstall(journal, "session-2");
    await claimed(journal, abandoned);
    const rebind = request({ ...abandoned, script: abandoned.script.fork() });
    const { script, action } = abandoned;
    assert.equal((await journal.commit(withGuard(script.abandon(action), action, "abandon"))).kind, "committed");
    assert.equal((await journal.commit(rebind)).kind, "abandoned");
    const { fork, settle, ...settled } = await readyToSettle(rig, "failed");
    const late = request({ ...settled, script: fork });
    assert.equal((await journal.commit(settle)).kind, "committed");
    assert.equal((await journal.commit(late)).kind, "already-settled");
  });
}
