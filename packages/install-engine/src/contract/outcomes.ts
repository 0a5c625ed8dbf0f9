import assert from "node:assert/strict";
import { sha256Hex } from "../digest.ts";
import { claimed, type ContractTest, grantInstall, observed, race, refusedUnchanged } from "./rig.ts";
import { outcomeRequest, settleRequest, withGuard } from "./stream-script.ts";

/** What every store does with outcomes. */
export function outcomeContract(test: ContractTest): void {
  firstWins(test);
  conditions(test);
}

function firstWins(test: ContractTest): void {
  test("the first outcome wins: the same one again is a duplicate, another one a conflict, also after a restart", async (rig) => {
    const journal = await rig.store();
    const granted = await grantInstall(journal);
    const { script, action } = granted;
    await claimed(journal, granted);
    const outcome = await observed(journal, granted, "applied");
    await journal.close();
    const reopened = await rig.store();
    rig.now = "2026-08-01T12:00:01Z";
    const same = { ...outcomeRequest(script.streamKey, action, "applied"), besideText: '{"reason":"other words"}' };
    assert.deepEqual(await reopened.recordOutcome(same), { kind: "duplicate", outcome });
    const others = [
      outcomeRequest(script.streamKey, action, "failed"),
      { ...outcomeRequest(script.streamKey, action, "applied"), verificationDigest: sha256Hex("another look") },
    ];
    for (const other of others) {
      assert.deepEqual(await reopened.recordOutcome(other), { kind: "outcome-conflict", outcome });
    }
    const status = await reopened.status({ streamKey: script.streamKey, actionId: action.actionId });
    assert.equal(status.state, "outcome-recorded");
    assert.deepEqual("outcome" in status ? status.outcome : null, outcome);
  });

  test("of many outcomes of one action by many stores exactly one is recorded", async (rig) => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => rig.store()));
    const journal = await rig.store();
    const granted = await grantInstall(journal);
    await claimed(journal, granted);
    const { script, action } = granted;
    const results = await race(stores, 12, (store, index) =>
      store.recordOutcome(outcomeRequest(script.streamKey, action, index % 2 === 0 ? "applied" : "failed")),
    );
    const count = (kind: string): number => results.filter((result) => result.kind === kind).length;
    assert.deepEqual([count("recorded"), count("duplicate"), count("outcome-conflict")], [1, 5, 6]);
    assert.equal((await journal.verify()).outcomes, 1);
  });
}

function conditions(test: ContractTest): void {
  test("an outcome needs a claim", async (rig) => {
    const journal = await rig.store();
    const { script, action } = await grantInstall(journal);
    const result = await journal.recordOutcome(outcomeRequest(script.streamKey, action, "applied"));
    assert.deepEqual(result, { kind: "claim-required" });
  });

  test("an outcome of another action content, binding or material than the claim's is a mismatch by member", async (rig) => {
    const journal = await rig.store();
    const granted = await grantInstall(journal);
    await claimed(journal, granted);
    const request = outcomeRequest(granted.script.streamKey, granted.action, "applied");
    const wrong = "0".repeat(64);
    const cases = [
      ["actionContentDigest", { ...request, actionContentDigest: wrong }],
      ["executionBindingDigest", { ...request, executionBindingDigest: wrong }],
      ["observedMaterialIdentityDigest", { ...request, observedMaterialIdentityDigest: wrong }],
      ["observedMaterialIdentityDigest", { ...request, observedMaterialIdentityDigest: null }],
      ["observedMaterialIdentityDigest", { ...request, outcome: "failed" as const }],
    ] as const;
    const before = await journal.head();
    for (const [member, mismatched] of cases) {
      const result = await journal.recordOutcome(mismatched);
      assert.equal(result.kind === "claim-mismatch" && result.member, member);
    }
    assert.deepEqual(await journal.head(), before);
  });

  test("an outcome is never observed before its claim", async (rig) => {
    const journal = await rig.store();
    rig.now = "2026-08-01T12:30:00Z";
    const granted = await grantInstall(journal);
    await claimed(journal, granted);
    const request = outcomeRequest(granted.script.streamKey, granted.action, "applied");
    rig.now = "2026-08-01T12:29:59.999Z";
    const claimedAt = "2026-08-01T12:30:00Z";
    assert.deepEqual(await journal.recordOutcome(request), { kind: "clock-behind", now: rig.now, claimedAt });
    rig.now = claimedAt;
    assert.equal((await journal.recordOutcome(request)).kind, "recorded");
  });

  test("a settled or abandoned action takes no outcome", async (rig) => {
    const journal = await rig.store();
    const settled = await grantInstall(journal, "session-1");
    await claimed(journal, settled);
    const { outcomeDigest } = await observed(journal, settled, "applied");
    const receipt = settled.script.receipt(settled.action, "applied", outcomeDigest);
    await journal.commit(settleRequest(receipt, settled.action, "applied", outcomeDigest));
    const abandoned = await grantInstall(journal, "session-2");
    await claimed(journal, abandoned);
    await journal.commit(withGuard(abandoned.script.abandon(abandoned.action), abandoned.action, "abandon"));
    for (const [{ script, action }, kind] of [
      [settled, "already-settled"],
      [abandoned, "abandoned"],
    ] as const) {
      const result = await journal.recordOutcome(outcomeRequest(script.streamKey, action, "applied"));
      assert.equal(result.kind, kind);
    }
  });

  test("a clock that fails stops an outcome", async (rig) => {
    const journal = await rig.store();
    const granted = await grantInstall(journal);
    await claimed(journal, granted);
    const broken = await rig.store(() => {
      throw new Error("secret of the host");
    });
    const request = outcomeRequest(granted.script.streamKey, granted.action, "applied");
    await refusedUnchanged(broken, "CLOCK_FAILED", () => broken.recordOutcome(request));
  });
}
