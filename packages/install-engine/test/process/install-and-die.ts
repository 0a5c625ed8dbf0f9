import {
  answerConsent,
  type CommitRequest,
  createInstallEngine,
  describeInstall,
  type JournalStore,
} from "../../src/index.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { bodyOf, fileRegistry, INSTALLER_ID } from "./file-driver.ts";

/**
 * A process that installs one capability and kills itself at the boundary it is told: node install-and-die.ts
 * JOURNAL DIRECTORY CAPABILITY BOUNDARY. It prints every boundary that it comes to.
 */
const [journalPath = "", directory = "", capabilityId = "", boundary = ""] = process.argv.slice(2);

function reach(name: string): void {
  process.stdout.write(`${name}\n`);
  if (name === boundary) {
    process.kill(process.pid, "SIGKILL");
    // The signal is not delivered within the call on every system; nothing may run after it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
}

/** A journal that passes a boundary before and after each of its changes. */
function bounded(journal: JournalStore): JournalStore {
  const around = async <Result>(name: string, call: () => Promise<Result>): Promise<Result> => {
    reach(`${name}:before`);
    const result = await call();
    reach(`${name}:after`);
    return result;
  };
  const names = { none: "plan", decision: "decision", settle: "settlement" } as const;
  return new Proxy(journal, {
    get: (target, member): unknown => {
      switch (member) {
        case "commit":
          return (request: CommitRequest) => {
            const { kind } = request.guard;
            const name = kind === "none" || kind === "decision" || kind === "settle" ? names[kind] : kind;
            return around(name, () => target.commit(request));
          };
        case "claim":
          return (request: Parameters<JournalStore["claim"]>[0]) => around("claim", () => target.claim(request));
        case "recordOutcome":
          return (request: Parameters<JournalStore["recordOutcome"]>[0]) =>
            around("outcome", () => target.recordOutcome(request));
        default: {
          const value: unknown = Reflect.get(target, member);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        }
      }
    },
  });
}

const journal = await openJournal({ path: journalPath });
const engine = createInstallEngine({ journal: bounded(journal) });
const registry = fileRegistry(directory, { step: reach });
const selection = describeInstall({ capabilityId, body: bodyOf(capabilityId), installerId: INSTALLER_ID });
const offer = await engine.planInstall({ scope: { sessionId: capabilityId }, selection });
if (offer.kind !== "consent-required") throw new Error(offer.kind);
const decision = await engine.decide(answerConsent(offer.consent, "granted"));
if (decision.kind !== "granted") throw new Error(decision.kind);
const report = await engine.prepareInstallExecution({ ...decision.granted, registry }).execute();
await journal.close();
process.exitCode = report.outcome === "applied" ? 0 : 1;
