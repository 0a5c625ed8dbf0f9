import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  actionContentDigest,
  createConsentGuard,
  createConsentPolicy,
  createInstallDriverRegistry,
  createInstallEngine,
  createScope,
  describeInstall,
  type GrantedInstall,
  type InstallDriverRequest,
  type InstallExecutionReport,
  type InstallExecutionStatus,
  sha256Hex,
} from "@mesh/install-engine";
import { openJournal } from "@mesh/install-engine/sqlite";
import { onTestFinished } from "vitest";
import type { SkillBodySource } from "../../src/driver/body-source.ts";
import { createFactory, type SkillCasDriverFactory } from "../../src/driver/factory.ts";
import { stageName } from "../../src/layout.ts";
import { openSkillStoreSync } from "../../src/store/store-sync.ts";
import { StoreSession } from "../../src/store/session.ts";
import { type Fault, failingInterpreter } from "../faults/interpose.ts";

/** The 80-byte body of the section 20 vectors. */
export const BODY = "---\nname: remote-testing\ndescription: exact CAS test skill\n---\nUse tests first.\n";

const CATALOG_DIGEST = sha256Hex("catalog");
const INSTALLER_ID = "ctx-skill-installer-v1";

/** A body source that counts, and that can be wrong or out of order. */
export class CountingSource implements SkillBodySource {
  loads = 0;
  claimSeen: InstallExecutionStatus["state"] | undefined;
  #body: string | (() => never);
  #status: (request: InstallDriverRequest) => Promise<InstallExecutionStatus>;

  constructor(
    body: string | (() => never),
    status: (request: InstallDriverRequest) => Promise<InstallExecutionStatus>,
  ) {
    this.#body = body;
    this.#status = status;
  }

  async load(request: InstallDriverRequest): Promise<Uint8Array> {
    this.loads += 1;
    this.claimSeen = (await this.#status(request)).state;
    return new TextEncoder().encode(typeof this.#body === "string" ? this.#body : this.#body());
  }
}

/** One granted install over the real engine, the real SQLite journal and a real directory. */
export interface Bench {
  readonly root: string;
  readonly source: CountingSource;
  readonly granted: GrantedInstall;
  /** Name of the object in the root. */
  readonly object: string;
  /** Name of the stage of this action. */
  readonly stage: string;
  /** Runs a fresh handle over a fresh driver, with the faults given. */
  execute(fault?: Fault): Promise<InstallExecutionReport>;
  /** The driver factory of this root, with the faults and the body source given. Closed when the test ends. */
  factory(fault?: Fault, bodySource?: SkillBodySource): SkillCasDriverFactory;
  /** What the engine would ask a driver of that factory for. */
  request(factory: SkillCasDriverFactory): InstallDriverRequest;
  /** Burns the claim and runs nothing, as a process does that is killed right after the claim. */
  claim(): Promise<void>;
  status(): Promise<InstallExecutionStatus>;
  /** The names that belong to the content, locks left out. */
  names(): string[];
  read(name: string): string;
}

/** Opens a bench; everything is closed and removed when the test ends. */
export async function openBench(sourceBody: string | (() => never) = BODY): Promise<Bench> {
  const base = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-driver-"));
  const root = join(base, "private", "skills");
  openSkillStoreSync({ root, create: true }).close();
  const journal = await openJournal({ path: join(base, "state", "journal.sqlite3") });
  const engine = createInstallEngine({ journal });
  onTestFinished(async () => {
    await journal.close();
    rmSync(base, { recursive: true, force: true });
  });

  const granted = await grant(engine);
  const source = new CountingSource(sourceBody, (request) => engine.status(request.action));
  const factoryFor = (fault: Fault = () => undefined, bodySource: SkillBodySource = source): SkillCasDriverFactory => {
    const options = { root, bodySource, installerId: INSTALLER_ID, hostIdentityDigest: sha256Hex("host") };
    const factory = createFactory(options, () =>
      Promise.resolve(
        StoreSession.open({ root, create: false, interpose: (interpreter) => failingInterpreter(interpreter, fault) }),
      ),
    );
    onTestFinished(() => factory.close());
    return factory;
  };
  const registryFor = (fault: Fault): ReturnType<typeof createInstallDriverRegistry> => {
    const factory = factoryFor(fault);
    return createInstallDriverRegistry([
      { binding: factory.binding, capabilityKind: "skill", factory, target: factory.target },
    ]);
  };
  const object = granted.action.payload.resultMaterial.contentSha256;
  return {
    root,
    source,
    granted,
    object,
    stage: stageName(object, actionContentDigest(granted.action)),
    factory: factoryFor,
    request: ({ binding }) => ({
      action: granted.action,
      descriptor: granted.selection.authority.descriptor,
      binding,
    }),
    execute: (fault = () => undefined) =>
      engine.prepareInstallExecution({ ...granted, registry: registryFor(fault) }).execute(),
    claim: async () => {
      await engine.claimWithoutExecution({ ...granted, registry: registryFor(() => undefined) });
    },
    status: () => engine.status(granted.action),
    names: () => readdirSync(root).filter((name) => !name.endsWith(".lock") && name !== ".mesh-root-id"),
    read: (name) => readFileSync(join(root, name), "utf8"),
  };
}

/** Mode and link count of an entry, or undefined. */
export function lookAt(path: string): { mode: number; links: number; inode: number } | undefined {
  if (!existsSync(path)) {
    return undefined;
  }
  const status = statSync(path);
  return { mode: status.mode & 0o7777, links: status.nlink, inode: status.ino };
}

async function grant(engine: ReturnType<typeof createInstallEngine>): Promise<GrantedInstall> {
  const offer = await engine.planInstall({
    scope: createScope({
      tenantId: "tenant-1",
      workspaceId: "workspace-1",
      repositoryId: "repository-1",
      sessionId: "session-1",
    }),
    selection: describeInstall({ capabilityId: "skill:remote-testing", body: BODY, installerId: INSTALLER_ID }),
    policy: createConsentPolicy(),
    catalogSnapshotDigest: CATALOG_DIGEST,
  });
  if (offer.kind !== "consent-required") {
    throw new Error(`planned, but the offer is ${offer.kind}`);
  }
  const { consent } = offer;
  const guard = createConsentGuard(consent, "granted");
  const decision = await engine.decide({ consent, basis: "interactive", answer: "granted", guard });
  if (decision.kind !== "granted") {
    throw new Error(`granted, but the decision is ${decision.kind}`);
  }
  return decision.granted;
}
