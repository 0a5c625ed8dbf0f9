import { randomUUID } from "node:crypto";
import { claimContract } from "./claims.ts";
import { closingContract } from "./closings.ts";
import { commitContract } from "./commits.ts";
import { lockContract } from "./locks.ts";
import { outcomeContract } from "./outcomes.ts";
import { readContract } from "./reads.ts";
import { type ContractTest, type JournalContractOptions, Rig } from "./rig.ts";

/**
 * Registers the tests that every {@link JournalStore} passes (design D8): one winner of each race, typed losers, rules of
 * guards and expiry under the write lock, what reads give back, locks, signals and closing.
 *
 * Bound to no test runner: it needs a function that registers a test, and throws AssertionError of `node:assert`.
 */
export function journalContract({ open, test }: JournalContractOptions): void {
  const register: ContractTest = (name, body) => {
    test(name, async () => {
      await using rig = new Rig(randomUUID(), open);
      await body(rig);
    });
  };
  commitContract(register);
  claimContract(register);
  outcomeContract(register);
  closingContract(register);
  readContract(register);
  lockContract(register);
}
