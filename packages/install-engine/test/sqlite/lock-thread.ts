/** A thread that opens a journal, takes the lock of an action, says so, and never gives it back. */
import { parentPort, workerData } from "node:worker_threads";
import type { ActionKey } from "../../src/journal.ts";
import { openJournal } from "../../src/sqlite/index.ts";

const { path, key } = workerData as { readonly path: string; readonly key: ActionKey };
const journal = await openJournal({ path });
await journal.withActionLock(key, async () => {
  parentPort?.postMessage("held");
  await new Promise(() => {
    setInterval(() => undefined, 60_000);
  });
});
