import {
  createInstallDriverRegistry,
  createInstallEngine,
  type InstallDriverRegistry,
  type InstallEngine,
  type JournalStore,
} from "@mesh/install-engine";
import { openJournal } from "@mesh/install-engine/sqlite";
import { type EffectObserver, openSkillStore, type SkillStore } from "@mesh/skill-cas";
import { createSkillCasDriverFactory, type SkillBodySource, type SkillCasDriverFactory } from "@mesh/skill-cas/driver";

import { OpenParts } from "../open-parts.ts";
import type { StateDirectory } from "../state-directory.ts";

/** The installer that this host names in its plans, and under which it registers the driver of the skill store. */
export const SKILL_INSTALLER_ID = "ctx-skill-installer-v1";

/** What a host for skills is made from. */
export interface SkillHostOptions {
  readonly state: StateDirectory;
  /** Where the text of a skill comes from once its install is claimed. A host that only reads or recovers needs none. */
  readonly bodySource?: SkillBodySource;
  /** Where the driver's algorithms run: a worker thread, or this thread with every effect observable. */
  readonly interpreter?: "worker" | "sync";
  /** Told of every completed effect of the driver, see `createSkillCasDriverFactory`. */
  readonly onEffect?: EffectObserver;
  readonly signal?: AbortSignal;
}

/** The parts that install and read skills, composed. Closing it closes all of them. */
export interface SkillHost extends AsyncDisposable {
  readonly store: SkillStore;
  readonly factory: SkillCasDriverFactory;
  readonly registry: InstallDriverRegistry;
  readonly journal: JournalStore;
  readonly engine: InstallEngine;
}

/** A host that was composed without a body source was asked for a body: it only reads and recovers. */
const NO_BODY: SkillBodySource = {
  load: () => Promise.reject(new Error("this host reads and recovers; it was composed without a body source")),
};

/**
 * Composes store, driver, journal and engine, in this order: the root is authenticated and the driver registered before a
 * journal exists, so that a root that cannot be trusted leaves no state behind (spec 12).
 *
 * @throws SkillCasError for the root, InstallEngineError for the journal; whatever was opened before is closed again.
 */
export function composeSkillHost(options: SkillHostOptions): Promise<SkillHost> {
  const { state, signal } = options;
  const opened = new OpenParts();
  return opened.opening(async () => {
    const store = opened.use(await openSkillStore({ root: state.skills, create: true }));
    const factory = opened.use(createFactory(options));
    const registry = createInstallDriverRegistry([
      { binding: factory.binding, capabilityKind: "skill", factory, target: factory.target },
    ]);
    const journal = opened.use(
      await openJournal({ path: state.journalFile, ...(signal === undefined ? {} : { signal }) }),
    );
    const engine = opened.use(createInstallEngine({ journal, hostDescriptorDigest: state.hostIdentityDigest }));
    return { store, factory, registry, journal, engine, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  });
}

function createFactory(options: SkillHostOptions): SkillCasDriverFactory {
  return createSkillCasDriverFactory({
    root: options.state.skills,
    bodySource: options.bodySource ?? NO_BODY,
    installerId: SKILL_INSTALLER_ID,
    hostIdentityDigest: options.state.hostIdentityDigest,
    ...(options.interpreter === undefined ? {} : { interpreter: options.interpreter }),
    ...(options.onEffect === undefined ? {} : { onEffect: options.onEffect }),
  });
}
