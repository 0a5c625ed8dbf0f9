import type { InstallDriverFactory, JournalStore } from "@mesh/install-engine";
import type { Boundary } from "./boundaries.ts";
import { grantSkill, openParts } from "./bench.ts";

/**
 * A process that installs one skill and kills itself at the boundary it is told: node installing-process.ts DIRECTORY
 * CAPABILITY BOUNDARY. It prints every boundary that it comes to.
 */
const [directory = "", capabilityId = "", boundary = ""] = process.argv.slice(2);

function reach(name: Boundary): void {
  process.stdout.write(`${name}\n`);
  if (name === boundary) {
    process.kill(process.pid, "SIGKILL");
    // The signal is not delivered within the call on every system; nothing may run after it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
}

async function around<Result>(name: "claim" | "outcome" | "settlement", call: () => Promise<Result>): Promise<Result> {
  reach(`${name}:before`);
  const result = await call();
  reach(`${name}:after`);
  return result;
}

function boundedJournal(journal: JournalStore): JournalStore {
  const changing: Pick<JournalStore, "commit" | "claim" | "recordOutcome"> = {
    commit: (request, options) =>
      request.guard.kind === "settle"
        ? around("settlement", () => journal.commit(request, options))
        : journal.commit(request, options),
    claim: (request, options) => around("claim", () => journal.claim(request, options)),
    recordOutcome: (request, options) => around("outcome", () => journal.recordOutcome(request, options)),
  };
  return new Proxy(journal, {
    get: (target, name): unknown => {
      const member: unknown = Reflect.get(name in changing ? changing : target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

function boundedFactory(factory: InstallDriverFactory): InstallDriverFactory {
  return {
    absenceProves: factory.absenceProves,
    connect: async (request) => {
      reach("connect");
      const held = await factory.connect(request);
      return {
        applyOnce: async () => {
          reach("apply:before");
          await held.applyOnce();
          reach("apply:after");
        },
        reconcile: async () => {
          const observation = await held.reconcile();
          reach("reconcile:after");
          return observation;
        },
        [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
      };
    },
  };
}

const parts = await openParts(directory, { journal: boundedJournal, factory: boundedFactory });
const granted = await grantSkill(parts.engine, capabilityId);
const report = await parts.engine.prepareInstallExecution({ ...granted, registry: parts.registry }).execute();
await parts[Symbol.asyncDispose]();
process.exitCode = report.outcome === "applied" ? 0 : 1;
