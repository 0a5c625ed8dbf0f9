import assert from "node:assert/strict";
import type { ActionKey } from "../journal.ts";
import { claimed, committed, type ContractTest, grantInstall, refused } from "./rig.ts";
import { plain, StreamScript } from "./stream-script.ts";

/** Records of the stream that a replay has to give in more than one piece. */
const RECORDS_REPLAYED = 150;

/** What every store gives back. */
export function readContract(test: ContractTest): void {
  records(test);
  replays(test);
  lists(test);
  heads(test);
}

function records(test: ContractTest): void {
  test("a record, a snapshot and a status give back exactly what was committed, from every store", async (rig) => {
    const journal = await rig.store();
    const { script, record, action } = await grantInstall(journal);
    for (const store of [journal, await rig.store()]) {
      assert.deepEqual(await store.record(script.streamKey, 2), record);
      assert.equal(await store.record(script.streamKey, 3), null);
      assert.equal(await store.record("{}", 1), null);
      assert.deepEqual(await store.snapshot(script.streamKey), {
        streamKey: script.streamKey,
        stream: record.stream,
        revision: 2,
        recordDigest: record.recordDigest,
        stateText: record.resultStateText,
        stateDigest: record.resultStateDigest,
      });
      const key = { streamKey: script.streamKey, actionId: action.actionId };
      assert.deepEqual(await store.status(key), { state: "unclaimed" });
    }
  });

  test("text in any script and with any escape comes back as it was", async (rig) => {
    const journal = await rig.store();
    const script = new StreamScript('sitzung-ß-會話-\u{1F600}-"\\-\u007f');
    const record = script.plan("a");
    await committed(journal, record);
    assert.deepEqual(await (await rig.store()).record(script.streamKey, 1), record);
  });
}

function replays(test: ContractTest): void {
  test("a replay gives the records of one stream in order, up to the newest when it began", async (rig) => {
    const journal = await rig.store();
    await grantInstall(journal, "session-other");
    const script = new StreamScript("session-1");
    const expected: string[] = [];
    for (let index = 0; index < RECORDS_REPLAYED; index += 1) {
      const record = script.plan("a", `event-${index}`);
      expected.push(record.recordDigest);
      await committed(journal, record);
    }
    const found: string[] = [];
    for await (const record of journal.replay(script.streamKey)) {
      if (found.length === 0) {
        await committed(journal, script.plan("b", "event-later"));
      }
      found.push(record.recordDigest);
    }
    assert.deepEqual(found, expected);
  });

  test("a replay of a stream that does not exist gives nothing", async (rig) => {
    const journal = await rig.store();
    for await (const record of journal.replay(new StreamScript("nowhere").streamKey)) {
      assert.fail(`found ${record.eventId}`);
    }
  });
}

function lists(test: ContractTest): void {
  test("streams come in the order of their keys, page by page, and by each member", async (rig) => {
    const journal = await rig.store();
    const scripts = ["c", "a", "\u{1F600}", "\uFF5E", "b"].map((session) => new StreamScript(session));
    for (const script of scripts) {
      await committed(journal, script.plan("x"));
    }
    const found: string[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await journal.streams({}, { limit: 2, ...(after === undefined ? {} : { after }) });
      if (page.length === 0) {
        break;
      }
      assert.ok(page.length <= 2);
      found.push(...page.map((snapshot) => snapshot.stream.sessionId));
      after = page.at(-1)?.streamKey;
    }
    // By code point: U+FF5E is before U+1F600, although its UTF-16 unit is after the surrogates.
    assert.deepEqual(found, ["a", "b", "c", "\uFF5E", "\u{1F600}"]);
    const [one, ...more] = await journal.streams({ sessionId: "b", tenantId: "tenant-1" }, { limit: 10 });
    assert.equal(one?.streamKey, new StreamScript("b").streamKey);
    assert.deepEqual(more, []);
    assert.deepEqual(await journal.streams({ sessionId: "b", tenantId: "another" }, { limit: 10 }), []);
  });

  test("a page without a sensible limit is refused", async (rig) => {
    const journal = await rig.store();
    for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await refused("INVALID_VALUE", () => journal.streams({}, { limit }));
      await refused("INVALID_VALUE", () => journal.unsettledClaims({ limit }));
    }
  });

  test("unsettled claims come in the order of stream and action, page by page", async (rig) => {
    const journal = await rig.store();
    const expected: ActionKey[] = [];
    for (const session of ["b", "a", "c"]) {
      const granted = await grantInstall(journal, session);
      await claimed(journal, granted);
      expected.push({ streamKey: granted.script.streamKey, actionId: granted.action.actionId });
    }
    await grantInstall(journal, "unclaimed");
    expected.sort((left, right) => (left.streamKey < right.streamKey ? -1 : 1));
    const found: ActionKey[] = [];
    for (;;) {
      const last = found.at(-1);
      const page = await journal.unsettledClaims({ limit: 2, ...(last === undefined ? {} : { after: last }) });
      if (page.length === 0) {
        break;
      }
      found.push(...page.map(({ streamKey, actionId }) => ({ streamKey, actionId })));
    }
    assert.deepEqual(found, expected);
  });
}

function heads(test: ContractTest): void {
  test("the head is one for every store, names every row, and never comes back", async (rig) => {
    const [journal, other] = [await rig.store(), await rig.store()];
    assert.deepEqual(await journal.head(), { sequence: 0, digest: null });
    const digests = new Set<string | null>();
    const script = new StreamScript("session-1");
    for (const name of ["a", "b", "c"]) {
      await committed(journal, script.plan(name));
      const head = await journal.head();
      assert.deepEqual(await other.head(), head);
      digests.add(head.digest);
    }
    assert.equal(digests.size, 3);
    assert.equal((await other.head()).sequence, 3);
  });

  test("a verification counts every row", async (rig) => {
    const journal = await rig.store();
    assert.equal((await journal.verify()).records, 0);
    const granted = await grantInstall(journal);
    await claimed(journal, granted);
    await journal.commit(plain(new StreamScript("session-2").plan("a")));
    const verification = await (await rig.store()).verify();
    assert.deepEqual(verification, {
      streams: 2,
      records: 3,
      claims: 1,
      outcomes: 0,
      settlements: 0,
      abandonments: 0,
      head: await journal.head(),
    });
  });
}
