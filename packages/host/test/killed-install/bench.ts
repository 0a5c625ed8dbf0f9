import { join } from "node:path";
import {
  answerConsent,
  createInstallDriverRegistry,
  createInstallEngine,
  describeInstall,
  type GrantedInstall,
  type InstallDriverFactory,
  type InstallDriverRegistry,
  type InstallEngine,
  type JournalStore,
  sha256Hex,
} from "@mesh/install-engine";
import { openJournal } from "@mesh/install-engine/sqlite";
import { openSkillStore } from "@mesh/skill-cas";
import { createSkillCasDriverFactory, type SkillCasDriverFactory } from "@mesh/skill-cas/driver";

export const INSTALLER_ID = "ctx-skill-installer-v1";

/** The text of a skill; each has another one, so that each has its own object. */
export const bodyOf = (capabilityId: string): string =>
  `---\nname: ${capabilityId.slice("skill:".length)}\ndescription: dies while it is installed\n---\nUse tests first.\n`;

/** The parts of a host over one directory: the real store and driver, the real journal and engine. */
export interface Parts extends AsyncDisposable {
  readonly root: string;
  readonly journal: JournalStore;
  readonly engine: InstallEngine;
  readonly factory: SkillCasDriverFactory;
  readonly registry: InstallDriverRegistry;
  /** How often a body was asked for. */
  readonly loads: () => number;
}

/** What a test puts around the parts. */
export interface Around {
  readonly journal?: (journal: JournalStore) => JournalStore;
  readonly factory?: (factory: InstallDriverFactory) => InstallDriverFactory;
}

export async function openParts(directory: string, around: Around = {}): Promise<Parts> {
  const root = join(directory, "private", "skills");
  const store = await openSkillStore({ root, create: true });
  await store.close();
  let loads = 0;
  const factory = createSkillCasDriverFactory({
    root,
    installerId: INSTALLER_ID,
    hostIdentityDigest: sha256Hex("host"),
    interpreter: "sync",
    bodySource: {
      load: (request) => {
        loads += 1;
        return Buffer.from(bodyOf(request.action.entityId));
      },
    },
  });
  const { binding, target } = factory;
  const registry = createInstallDriverRegistry([
    { binding, target, capabilityKind: "skill", factory: around.factory?.(factory) ?? factory },
  ]);
  const journal = await openJournal({ path: join(directory, "state", "journal.sqlite3") });
  return {
    root,
    journal,
    engine: createInstallEngine({ journal: around.journal?.(journal) ?? journal }),
    factory,
    registry,
    loads: () => loads,
    [Symbol.asyncDispose]: async () => {
      await journal.close();
      await factory.close();
    },
  };
}

/** Plans and grants one skill, in a stream of its own. */
export async function grantSkill(engine: InstallEngine, capabilityId: string): Promise<GrantedInstall> {
  const selection = describeInstall({ capabilityId, body: bodyOf(capabilityId), installerId: INSTALLER_ID });
  const offer = await engine.planInstall({ scope: { sessionId: capabilityId }, selection });
  if (offer.kind === "pending") return offer.granted;
  if (offer.kind !== "consent-required") throw new Error(`the offer is ${offer.kind}`);
  const decision = await engine.decide(answerConsent(offer.consent, "granted"));
  if (decision.kind !== "granted") throw new Error(`the decision is ${decision.kind}`);
  return decision.granted;
}
