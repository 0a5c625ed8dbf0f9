/** A thread that opens a journal, takes the lock of an action, says so, and never gives it back. */
import { parentPort, workerData } from "node:worker_threads";
import type { ActionKey } from "../../src/journal.ts";
import { openJournal } from "../../src/sqlite/index.ts";

/** Longer than any test waits. */
const HOLD_MS = 3_600_000;

const { path, key } = workerData as { readonly path: string; readonly key: ActionKey };
const journal = await openJournal({ path });
await journal.withActionLock(key, async () => {
  parentPort?.postMessage("held");
  // The timer holds on to `resolve`: a promise that nothing can settle is garbage, and with it the lock's descriptor.
  await new Promise((resolve) => {
    setTimeout(resolve, HOLD_MS);
  });
});
