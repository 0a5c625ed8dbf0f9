import assert from "node:assert/strict";
import { sha256Hex } from "../digest.ts";
import type { ClaimRequest } from "../journal.ts";
import { executionBindingText, createExecutionBinding } from "../types/execution-binding.ts";
import { committed, type ContractTest, grantInstall, race, refused, refusedUnchanged } from "./rig.ts";
import { claimRequest, plain, SCRIPT_BINDING, StreamScript } from "./stream-script.ts";

/** What every store does with claims. */
export function claimContract(test: ContractTest): void {
  oneWinner(test);
  conditions(test);
  substitutions(test);
}

function oneWinner(test: ContractTest): void {
  test("an action is claimed once: every later claim gets the first one, also after a restart", async (rig) => {
    const journal = await rig.store();
    const { action, record } = await grantInstall(journal);
    const first = await journal.claim(claimRequest(action, record));
    assert.equal(first.kind, "claimed");
    assert.equal(first.won, true);
    await journal.close();
    const again = await (await rig.store()).claim(claimRequest(action, record));
    assert.deepEqual(again, { kind: "already-claimed", won: false, claim: "claim" in first ? first.claim : undefined });
  });

  test("of many claims of one action by many stores exactly one wins", async (rig) => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => rig.store()));
    const { action, record } = await grantInstall(await rig.store());
    const request = claimRequest(action, record);
    const results = await race(stores, 16, (store) => store.claim(request));
    assert.equal(results.filter((result) => result.won).length, 1);
    const claims = results.map((result) => ("claim" in result ? result.claim.claimDigest : null));
    assert.equal(new Set(claims).size, 1);
    assert.equal((await stores[0]?.verify())?.claims, 1);
  });

  test("a claim holds what it was given, the issuing record, the head and the time", async (rig) => {
    const journal = await rig.store();
    const { action, record } = await grantInstall(journal);
    const request = { ...claimRequest(action, record), besideText: '{"device":"1"}' };
    const result = await journal.claim(request);
    assert.ok(result.kind === "claimed");
    const { expectedHead, ...terms } = request;
    const { claim } = result;
    assert.deepEqual({ ...claim, ...terms }, claim);
    assert.equal(claim.issuingRecordDigest, record.recordDigest);
    assert.equal(claim.claimedHeadRevision, expectedHead.revision);
    assert.equal(claim.claimedHeadRecordDigest, expectedHead.recordDigest);
    assert.equal(claim.claimedHeadStateDigest, record.resultStateDigest);
    assert.equal(claim.claimedAt, rig.now);
    const key = { streamKey: request.streamKey, actionId: action.actionId };
    assert.deepEqual(await journal.status(key), { state: "claimed", claim });
  });
}

function conditions(test: ContractTest): void {
  test("a claim at another head than the newest record is a revision conflict", async (rig) => {
    const journal = await rig.store();
    const { action, record, script } = await grantInstall(journal);
    const later = script.plan("another");
    await committed(journal, later);
    const head = { revision: later.revision, recordDigest: later.recordDigest };
    assert.deepEqual(await journal.claim(claimRequest(action, record)), {
      kind: "revision-conflict",
      won: false,
      head,
    });
    assert.equal((await journal.claim(claimRequest(action, later))).kind, "claimed");
  });

  test("a claim in a stream that does not exist is a revision conflict without a head", async (rig) => {
    const script = new StreamScript("session-1");
    script.plan("a");
    const { action, record } = script.grant();
    const result = await (await rig.store()).claim(claimRequest(action, record));
    assert.deepEqual(result, { kind: "revision-conflict", won: false, head: null });
  });

  test("an action that no record of the stream issued cannot be claimed", async (rig) => {
    const journal = await rig.store();
    const { record } = await grantInstall(journal, "session-1");
    const { action } = await grantInstall(journal, "session-2");
    const before = await journal.head();
    assert.deepEqual(await journal.claim(claimRequest(action, record)), { kind: "not-issued", won: false });
    assert.deepEqual(await journal.head(), before);
  });

  test("a claim exactly at the expiry of its action is too late, a moment before it is not", async (rig) => {
    const journal = await rig.store();
    const { action, record } = await grantInstall(journal);
    const request = claimRequest(action, record);
    for (const now of [action.expiresAt, "2026-08-01T13:00:00.000000001Z", "2027-01-01T00:00:00Z"]) {
      rig.now = now;
      const expected = { kind: "expired", won: false, now, expiresAt: action.expiresAt };
      assert.deepEqual(await journal.claim(request), expected);
    }
    rig.now = "2026-08-01T12:59:59.999999999Z";
    assert.equal((await journal.claim(request)).kind, "claimed");
    rig.now = action.expiresAt;
    assert.equal((await journal.claim(request)).kind, "already-claimed");
  });

  test("a clock that fails stops a claim", async (rig) => {
    const { action, record } = await grantInstall(await rig.store());
    const journal = await rig.store(() => {
      throw new Error("secret of the host");
    });
    const request = claimRequest(action, record);
    const error = await refusedUnchanged(journal, "CLOCK_FAILED", () => journal.claim(request));
    assert.equal(error.cause, undefined);
  });
}

function substitutions(test: ContractTest): void {
  const otherBinding = createExecutionBinding({
    driverId: SCRIPT_BINDING.driverId,
    driverDigest: SCRIPT_BINDING.driverDigest,
    hostIdentityDigest: sha256Hex("another host"),
    targetIdentityDigest: SCRIPT_BINDING.targetIdentityDigest,
  });
  const cases: readonly (readonly [field: keyof ClaimRequest, change: Partial<ClaimRequest>])[] = [
    ["actionId", { actionId: `action-${"0".repeat(64)}` }],
    ["actionContentDigest", { actionContentDigest: "0".repeat(64) }],
    ["preconditionRevision", { preconditionRevision: 1 }],
    ["actionText", { actionText: "{}" }],
    ["actionExpiresAt", { actionExpiresAt: "2099-01-01T00:00:00Z" }],
    ["executionBindingText", { executionBindingText: "{}" }],
    ["executionBindingDigest", { executionBindingText: executionBindingText(otherBinding) }],
  ];
  for (const [field, change] of cases) {
    test(`a claim with a substituted ${field} is refused`, async (rig) => {
      const journal = await rig.store();
      const { action, record } = await grantInstall(journal);
      const request = { ...claimRequest(action, record), ...change };
      const error = await refusedUnchanged(journal, "INVALID_VALUE", () => journal.claim(request));
      assert.equal(error.facts["field"], field);
    });
  }

  test("a second claim of one action id with other content is damage, and thrown", async (rig) => {
    const journal = await rig.store();
    const { action, record } = await grantInstall(journal);
    const request = claimRequest(action, record);
    await journal.claim(request);
    const actionText = request.actionText.replace("plan-session-1", "plan-session-9");
    assert.notEqual(actionText, request.actionText);
    const other = { ...request, actionText, actionContentDigest: sha256Hex(actionText) };
    await refused("JOURNAL_CORRUPT", () => journal.claim(other));
    assert.equal((await journal.commit(plain(new StreamScript("session-2").plan("a")))).kind, "committed");
  });
}
