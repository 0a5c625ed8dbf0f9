import assert from "node:assert/strict";
import { InstallEngineError, type InstallEngineErrorCode } from "../error.ts";
import type { InstallOutcome, JournalRecord } from "../journal/rows.ts";
import type { JournalStore } from "../journal.ts";
import type { Clock, Timestamp } from "../timestamp.ts";
import type { InstallCapabilityAction } from "../types/action.ts";
import { claimRequest, decided, outcomeRequest, plain, SCRIPT_TIME, StreamScript } from "./stream-script.ts";

/** What the suite needs from a store and from a test runner. */
export interface JournalContractOptions {
  /**
   * Opens the journal of a name with a clock; the first opening of a name finds an empty journal, each later one the same
   * journal again, while the earlier ones are open too.
   */
  readonly open: (name: string, options: { readonly clock: Clock }) => Promise<JournalStore>;
  /** Registers a test, as every runner's `test` does. */
  readonly test: (name: string, body: () => Promise<void>) => void;
}

/** Registers one test of the suite, with a journal of its own. */
export type ContractTest = (name: string, body: (rig: Rig) => Promise<void>) => void;

/** One journal for one test: its stores and the clock they go by. */
export class Rig implements AsyncDisposable {
  /** What the clock of every store of this rig says. */
  now: Timestamp = SCRIPT_TIME;
  readonly #name: string;
  readonly #open: JournalContractOptions["open"];
  readonly #stores: JournalStore[] = [];

  constructor(name: string, open: JournalContractOptions["open"]) {
    this.#name = name;
    this.#open = open;
  }

  /** One more store on the journal of this test. */
  async store(clock: Clock = () => this.now): Promise<JournalStore> {
    const store = await this.#open(this.#name, { clock });
    this.#stores.push(store);
    return store;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#stores) {
      await store.close();
    }
  }
}

/** A stream with one granted action, committed. */
export interface Granted {
  readonly script: StreamScript;
  readonly record: JournalRecord;
  readonly action: InstallCapabilityAction;
}

/** Plans and grants one install in a new stream. */
export async function grantInstall(journal: JournalStore, session = "session-1"): Promise<Granted> {
  const script = new StreamScript(session);
  await committed(journal, script.plan("python-testing"));
  const { record, action } = script.grant();
  assert.equal((await journal.commit(decided(record))).kind, "committed");
  return { script, record, action };
}

/** Adds a record that must be accepted. */
export async function committed(journal: JournalStore, record: JournalRecord): Promise<void> {
  assert.equal((await journal.commit(plain(record))).kind, "committed");
}

/** Claims an action at the newest record; the claim must be won. */
export async function claimed(journal: JournalStore, { action, record }: Granted): Promise<void> {
  assert.equal((await journal.claim(claimRequest(action, record))).kind, "claimed");
}

/** Records an outcome that must be the first. */
export async function observed(
  journal: JournalStore,
  { script, action }: Granted,
  outcome: "applied" | "failed",
): Promise<InstallOutcome> {
  const result = await journal.recordOutcome(outcomeRequest(script.streamKey, action, outcome));
  if (result.kind !== "recorded") {
    assert.fail(`expected the outcome to be recorded, found ${result.kind}`);
  }
  return result.outcome;
}

/** Makes `count` calls at once, spread over the stores. */
export function race<T>(
  stores: readonly JournalStore[],
  count: number,
  call: (store: JournalStore, index: number) => Promise<T>,
): Promise<T[]> {
  const calls = Array.from({ length: Math.ceil(count / stores.length) }, () => stores)
    .flat()
    .slice(0, count);
  return Promise.all(calls.map(call));
}

/** Demands that a call is refused with a code, and that it left the journal as it was. */
export async function refusedUnchanged(
  journal: JournalStore,
  code: InstallEngineErrorCode,
  call: () => Promise<unknown>,
): Promise<InstallEngineError> {
  const before = await journal.head();
  const error = await refused(code, call);
  assert.deepEqual(await journal.head(), before, "a refused call changed the journal");
  return error;
}

/** Demands that a call is refused with a code. */
export async function refused(code: InstallEngineErrorCode, call: () => Promise<unknown>): Promise<InstallEngineError> {
  try {
    await call();
  } catch (error) {
    assert.ok(error instanceof InstallEngineError, `expected an InstallEngineError ${code}, found ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return error;
  }
  return assert.fail(`expected ${code}, but the call succeeded`);
}
