import type { Bench } from "../harness/bench.ts";
import { inFolder } from "../harness/folder.ts";
import type { Goal } from "../harness/statistics.ts";
import { type PutCalls, tracePut } from "./traced-put.ts";

function counted(id: string, unit: string, goal: Goal, of: (calls: PutCalls) => number): Bench {
  return {
    id,
    unit,
    goal,
    measure: () =>
      inFolder((folder) => {
        const calls = tracePut(folder);
        const value = of(calls);
        const detail = { calls: calls.names.join(" "), engineCallsLeftOut: calls.engine };
        return Promise.resolve({ value, range: [value, value], detail });
      }),
  };
}

/** What a fresh put asks of the kernel, counted with strace: the number that no noise moves. */
export const syncsBenches: readonly Bench[] = [
  counted("cas.put.syncs.file", "file syncs", { exactly: 1 }, ({ fileSyncs }) => fileSyncs),
  counted("cas.put.syncs.directory", "directory syncs", { exactly: 1 }, ({ directorySyncs }) => directorySyncs),
  counted("cas.put.syncs.changing", "changing calls", { atMost: 8 }, ({ changing }) => changing),
  counted("cas.put.syncs.calls", "calls", { atMost: 40 }, ({ all }) => all),
];
