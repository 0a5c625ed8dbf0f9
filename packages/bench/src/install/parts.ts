import { createHash } from "node:crypto";
import { join } from "node:path";

import {
  createConsentPolicy,
  createInstallDriverRegistry,
  createInstallEngine,
  createScope,
  describeInstall,
  type InstallDriverRegistry,
  type InstallEngine,
  type JournalStore,
} from "@mesh/install-engine";
import { openJournal } from "@mesh/install-engine/sqlite";
import { openSkillStore, type SkillStore } from "@mesh/skill-cas";
import { createSkillCasDriverFactory } from "@mesh/skill-cas/driver";

const INSTALLER_ID = "bench-installer-v1";
const DIGEST = createHash("sha256").update("bench").digest("hex");
/** The body of one skill in the benches, in bytes. */
export const SKILL_BYTES = 4096;

/** A text of {@link SKILL_BYTES} bytes that no other name has. */
export function skillBody(name: string): string {
  return `---\nname: bench\ndescription: ${name}\n---\n`.padEnd(SKILL_BYTES, "x");
}

/** What the benches install with: the real store, driver, journal and engine. */
export interface InstallParts extends AsyncDisposable {
  readonly engine: InstallEngine;
  readonly journal: JournalStore;
  readonly registry: InstallDriverRegistry;
  readonly store: SkillStore;
  /** Installs one skill from plan to settlement. */
  install(name: string): Promise<void>;
}

/** Opens the parts over one folder; several processes may share it. */
export async function openInstallParts(folder: string): Promise<InstallParts> {
  const root = join(folder, "skills");
  const bodies = new Map<string, string>();
  const store = await openSkillStore({ root, create: true });
  const factory = createSkillCasDriverFactory({
    root,
    installerId: INSTALLER_ID,
    hostIdentityDigest: DIGEST,
    bodySource: {
      load: (_request, material) => new TextEncoder().encode(bodies.get(material.contentSha256) ?? ""),
    },
  });
  const registry = createInstallDriverRegistry([
    { binding: factory.binding, capabilityKind: "skill", factory, target: factory.target },
  ]);
  const journal = await openJournal({ path: join(folder, "journal", "journal.sqlite3") });
  const engine = createInstallEngine({ journal });
  const policy = createConsentPolicy({ skillMode: "preapproved-auto" });
  const install = async (name: string): Promise<void> => {
    const body = skillBody(name);
    bodies.set(createHash("sha256").update(body).digest("hex"), body);
    const selection = describeInstall({ capabilityId: "skill:bench", body, installerId: INSTALLER_ID });
    const scope = createScope({ tenantId: "bench", workspaceId: "bench", repositoryId: "bench", sessionId: name });
    const offer = await engine.planInstall({ scope, selection, policy, catalogSnapshotDigest: DIGEST });
    if (offer.kind !== "consent-required") throw new Error(`the plan of ${name} gave ${offer.kind}`);
    const source = { currentPolicy: () => policy, descriptor: () => selection.authority.descriptor };
    const decision = await engine.decide({ consent: offer.consent, basis: "preapproved-policy", source });
    if (decision.kind !== "granted") throw new Error(`the decision on ${name} was ${decision.kind}`);
    const report = await engine.prepareInstallExecution({ ...decision.granted, registry }).execute();
    if (report.outcome !== "applied" || !report.settled) throw new Error(`${name} ended as ${report.outcome}`);
  };
  const close = async (): Promise<void> => {
    await engine.close();
    await journal.close();
    await factory.close();
    await store.close();
  };
  return { engine, journal, registry, store, install, [Symbol.asyncDispose]: close };
}
