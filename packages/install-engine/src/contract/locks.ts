import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { ActionKey, JournalStore } from "../journal.ts";
import { type ContractTest, grantInstall, race, refused } from "./rig.ts";
import { claimRequest, plain, StreamScript } from "./stream-script.ts";

const KEY: ActionKey = { streamKey: new StreamScript("session-1").streamKey, actionId: `action-${"1".repeat(64)}` };
const OTHER: ActionKey = { ...KEY, actionId: `action-${"2".repeat(64)}` };

/** What every store does about waiting, ending and closing. */
export function lockContract(test: ContractTest): void {
  exclusion(test);
  signals(test);
  closing(test);
}

function exclusion(test: ContractTest): void {
  test("the lock of an action is held by one at a time, whatever store it is asked of", async (rig) => {
    const stores = await Promise.all(Array.from({ length: 3 }, () => rig.store()));
    let holders = 0;
    let rounds = 0;
    const hold = async (): Promise<void> => {
      holders += 1;
      assert.equal(holders, 1, "two holders of one lock");
      await pause(3);
      holders -= 1;
      rounds += 1;
    };
    await race(stores, 9, (store) => store.withActionLock(KEY, hold));
    assert.equal(rounds, 9);
  });

  test("the locks of two actions do not exclude each other", async (rig) => {
    const journal = await rig.store();
    const inner = await journal.withActionLock(KEY, () =>
      journal.withActionLock(OTHER, () => Promise.resolve("inside")),
    );
    assert.equal(inner, "inside");
  });

  test("the lock of an action is given back when its body throws, and the error passes through", async (rig) => {
    const [journal, other] = [await rig.store(), await rig.store()];
    const error = new Error("from the body");
    await assert.rejects(
      journal.withActionLock(KEY, () => Promise.reject(error)),
      error,
    );
    assert.equal(await other.withActionLock(KEY, () => Promise.resolve(1)), 1);
  });

  test("a journal can be read and written while the lock of an action is held", async (rig) => {
    const journal = await rig.store();
    const granted = await grantInstall(journal);
    const { streamKey } = granted.script;
    await journal.withActionLock({ streamKey, actionId: granted.action.actionId }, async () => {
      assert.equal((await journal.claim(claimRequest(granted.action, granted.record))).kind, "claimed");
      assert.equal((await journal.status({ streamKey, actionId: granted.action.actionId })).state, "claimed");
    });
  });
}

function signals(test: ContractTest): void {
  test("waiting for the lock of an action ends with the reason of a signal", async (rig) => {
    const [journal, other] = [await rig.store(), await rig.store()];
    const reason = new Error("changed my mind");
    const controller = new AbortController();
    await journal.withActionLock(KEY, async () => {
      const waiting = other.withActionLock(KEY, () => assert.fail("both hold it"), { signal: controller.signal });
      await pause(5);
      controller.abort(reason);
      await assert.rejects(waiting, reason);
    });
    assert.equal(await other.withActionLock(KEY, () => Promise.resolve(1)), 1);
  });

  test("a call with an aborted signal rejects with its reason and changes nothing", async (rig) => {
    const journal = await rig.store();
    const { action, record } = await grantInstall(journal);
    const before = await journal.head();
    const reason = new Error("too late");
    const options = { signal: AbortSignal.abort(reason) };
    await assert.rejects(journal.claim(claimRequest(action, record), options), reason);
    await assert.rejects(journal.commit(plain(new StreamScript("session-2").plan("a")), options), reason);
    await assert.rejects(
      journal.withActionLock(KEY, () => assert.fail("the body ran"), options),
      reason,
    );
    await assert.rejects(journal.verify(options), reason);
    assert.deepEqual(await journal.head(), before);
    assert.equal((await journal.claim(claimRequest(action, record))).kind, "claimed");
  });

  test("a write that gives up does not hold up the writes behind it", async (rig) => {
    const journal = await rig.store();
    const controller = new AbortController();
    const writes = ["a", "b", "c"].map((session) =>
      journal.commit(plain(new StreamScript(session).plan("x")), session === "b" ? { signal: controller.signal } : {}),
    );
    controller.abort(new Error("gave up"));
    const results = await Promise.allSettled(writes);
    assert.equal(results[0]?.status, "fulfilled");
    assert.equal(results[2]?.status, "fulfilled");
    assert.equal((await journal.head()).sequence, results[1]?.status === "fulfilled" ? 3 : 2);
  });
}

function closing(test: ContractTest): void {
  test("closing waits for running calls, can be repeated, and then every call is refused", async (rig) => {
    const journal = await rig.store();
    const { script, action, record } = await grantInstall(journal);
    const running = journal.claim(claimRequest(action, record));
    await Promise.all([journal.close(), journal.close()]);
    assert.equal((await running).kind, "claimed");
    await journal.close();
    await journal[Symbol.asyncDispose]();
    const calls: readonly ((store: JournalStore) => Promise<unknown>)[] = [
      (store) => store.commit(plain(new StreamScript("session-2").plan("a"))),
      (store) => store.claim(claimRequest(action, record)),
      (store) => store.status({ streamKey: script.streamKey, actionId: action.actionId }),
      (store) => store.snapshot(script.streamKey),
      (store) => store.record(script.streamKey, 1),
      (store) => store.replay(script.streamKey)[Symbol.asyncIterator]().next(),
      (store) => store.streams({}, { limit: 1 }),
      (store) => store.unsettledClaims({ limit: 1 }),
      (store) => store.now(),
      (store) => store.withActionLock(KEY, () => assert.fail("the body ran")),
      (store) => store.head(),
      (store) => store.verify(),
    ];
    for (const call of calls) {
      await refused("JOURNAL_CLOSED", () => call(journal));
    }
    assert.equal((await (await rig.store()).head()).sequence, 3);
  });
}
