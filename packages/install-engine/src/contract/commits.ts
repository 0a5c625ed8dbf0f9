import assert from "node:assert/strict";
import type { CommitGuard } from "../journal.ts";
import { claimed, committed, type ContractTest, grantInstall, race, refusedUnchanged } from "./rig.ts";
import { decided, plain, StreamScript, withGuard } from "./stream-script.ts";

/** What every store does with records. */
export function commitContract(test: ContractTest): void {
  duplicates(test);
  revisions(test);
  times(test);
  refusals(test);
}

function duplicates(test: ContractTest): void {
  test("the same event again is a duplicate: the stored record comes back and nothing is added", async (rig) => {
    const journal = await rig.store();
    const record = new StreamScript("session-1").plan("a");
    assert.deepEqual(await journal.commit(plain(record)), { kind: "committed", record, now: rig.now });
    const head = await journal.head();
    assert.deepEqual(await (await rig.store()).commit(plain(record)), { kind: "duplicate", record });
    assert.deepEqual(await journal.head(), head);
  });

  test("an event id that another stream or another content has is a collision", async (rig) => {
    const journal = await rig.store();
    const record = new StreamScript("session-1").plan("a");
    await committed(journal, record);
    const head = await journal.head();
    const elsewhere = new StreamScript("session-2").plan("a", record.eventId);
    const otherContent = new StreamScript("session-1").plan("b", record.eventId);
    for (const colliding of [elsewhere, otherContent]) {
      assert.deepEqual(await journal.commit(plain(colliding)), { kind: "event-collision", eventId: record.eventId });
    }
    assert.deepEqual(await journal.head(), head);
  });
}

function revisions(test: ContractTest): void {
  test("a record that does not follow the newest one is a revision conflict that names the head", async (rig) => {
    const journal = await rig.store();
    const script = new StreamScript("session-1");
    const [first, second] = [script.plan("a"), script.plan("b")];
    assert.deepEqual(await journal.commit(plain(second)), { kind: "revision-conflict", head: null });
    await committed(journal, first);
    const other = new StreamScript("session-1");
    other.plan("x", "event-x");
    for (const late of [new StreamScript("session-1").plan("c", "event-c"), other.plan("d", "event-d")]) {
      assert.deepEqual(await journal.commit(plain(late)), {
        kind: "revision-conflict",
        head: { revision: 1, recordDigest: first.recordDigest },
      });
    }
  });

  test("of many records made for one revision by many stores exactly one is committed", async (rig) => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => rig.store()));
    const results = await race(stores, 12, (store, index) =>
      store.commit(plain(new StreamScript("session-1").plan("a", `event-${index}`))),
    );
    const kinds = results.map((result) => result.kind).sort();
    assert.deepEqual(kinds, ["committed", ...Array.from({ length: 11 }, () => "revision-conflict")]);
    assert.equal((await stores[0]?.verify())?.records, 1);
  });

  test("streams do not touch each other", async (rig) => {
    const journal = await rig.store();
    const one = await grantInstall(journal, "session-1");
    await committed(journal, new StreamScript("session-2").plan("b"));
    assert.equal((await journal.snapshot(one.script.streamKey))?.recordDigest, one.record.recordDigest);
    assert.equal((await journal.snapshot(new StreamScript("session-2").streamKey))?.revision, 1);
    assert.equal(await journal.snapshot(new StreamScript("session-3").streamKey), null);
  });
}

function times(test: ContractTest): void {
  const limit = "2026-08-01T12:30:00.5Z";
  const cases: readonly (readonly [name: string, guard: CommitGuard, now: string, kind: string])[] = [
    [
      "a decision just before its end is committed",
      { kind: "decision", notAfter: limit },
      "2026-08-01T12:30:00.499999999Z",
      "committed",
    ],
    ["a decision exactly at its end is expired", { kind: "decision", notAfter: limit }, limit, "expired"],
    [
      "a whole second is earlier than its fractions",
      { kind: "decision", notAfter: limit },
      "2026-08-01T12:30:00Z",
      "committed",
    ],
    ["a consent expires exactly at its end", { kind: "expire-consent", notBefore: limit }, limit, "committed"],
    [
      "a consent does not expire before its end",
      { kind: "expire-consent", notBefore: limit },
      "2026-08-01T12:30:00.49Z",
      "early",
    ],
  ];
  for (const [name, guard, now, kind] of cases) {
    test(name, async (rig) => {
      rig.now = now;
      const journal = await rig.store();
      const script = new StreamScript("session-1");
      await committed(journal, script.plan("a"));
      const record = guard.kind === "decision" ? script.grant().record : script.expireConsent();
      assert.equal((await journal.commit({ record, guard })).kind, kind);
      assert.equal((await journal.head()).sequence, kind === "committed" ? 2 : 1);
    });
  }

  test("an action expires exactly at its end, not before, and never once it is claimed", async (rig) => {
    const journal = await rig.store();
    const unclaimed = await grantInstall(journal, "session-1");
    const expiry = withGuard(unclaimed.script.expire(unclaimed.action), unclaimed.action, "expire-action");
    rig.now = "2026-08-01T12:59:59.999999999Z";
    assert.equal((await journal.commit(expiry)).kind, "early");
    const taken = await grantInstall(journal, "session-2");
    await claimed(journal, taken);
    rig.now = unclaimed.action.expiresAt;
    assert.equal((await journal.commit(expiry)).kind, "committed");
    const late = withGuard(taken.script.expire(taken.action), taken.action, "expire-action");
    assert.equal((await journal.commit(late)).kind, "already-claimed");
  });
}

function refusals(test: ContractTest): void {
  test("a record whose texts do not have its digests is refused by member", async (rig) => {
    const journal = await rig.store();
    const record = new StreamScript("session-1").plan("a");
    const members = ["replayDigest", "transitionDigest", "resultStateDigest", "recordDigest"] as const;
    for (const member of members) {
      const forged = { ...record, [member]: "0".repeat(64) };
      const error = await refusedUnchanged(journal, "DIGEST_MISMATCH", () => journal.commit(plain(forged)));
      assert.equal(error.facts["field"], member);
    }
  });

  test("a record of another stream, revision or retention than it can have is refused", async (rig) => {
    const journal = await rig.store();
    const record = new StreamScript("session-1").plan("a");
    const wrong = [
      { streamKey: new StreamScript("session-2").streamKey },
      { revision: 0 },
      { revision: 1.5 },
      { retentionClass: "ephemeral" },
      { retentionClass: "aggregate" },
    ] as const;
    for (const members of wrong) {
      await refusedUnchanged(journal, "INVALID_VALUE", () => journal.commit(plain({ ...record, ...members })));
    }
  });

  test("an event that closes an action is refused without the guard that closes it", async (rig) => {
    const journal = await rig.store();
    const { script, action } = await grantInstall(journal);
    const record = script.abandon(action);
    await refusedUnchanged(journal, "INVALID_VALUE", () => journal.commit(plain(record)));
    await refusedUnchanged(journal, "INVALID_VALUE", () => journal.commit(withGuard(record, action, "rebind")));
    const other = (await grantInstall(journal, "session-2")).action;
    await refusedUnchanged(journal, "INVALID_VALUE", () => journal.commit(withGuard(record, other, "abandon")));
  });

  test("a decision is refused without the guard that asks the clock, and so is the expiry of a consent", async (rig) => {
    const journal = await rig.store();
    const script = new StreamScript("session-1");
    await committed(journal, script.plan("a"));
    const expired = script.fork().expireConsent();
    const { record } = script.grant();
    await refusedUnchanged(journal, "INVALID_VALUE", () => journal.commit(plain(record)));
    await refusedUnchanged(journal, "INVALID_VALUE", () => journal.commit(plain(expired)));
    await refusedUnchanged(journal, "INVALID_VALUE", () => journal.commit(decided(expired)));
    const guard = { kind: "expire-consent", notBefore: rig.now } as const;
    await refusedUnchanged(journal, "INVALID_VALUE", () => journal.commit({ record, guard }));
  });

  test("a clock that fails stops a commit, and nothing of its error is passed on", async (rig) => {
    const journal = await rig.store(() => {
      throw new Error("secret of the host");
    });
    const record = new StreamScript("session-1").plan("a");
    const error = await refusedUnchanged(journal, "CLOCK_FAILED", () => journal.commit(plain(record)));
    assert.equal(error.cause, undefined);
    assert.ok(!error.message.includes("secret"));
    const wrong = await rig.store(() => "yesterday");
    await refusedUnchanged(wrong, "CLOCK_FAILED", () => wrong.commit(plain(record)));
  });
}
