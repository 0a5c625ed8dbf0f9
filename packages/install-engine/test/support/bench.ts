import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type ConsentAnswer,
  createConsentGuard,
  createConsentPolicy,
  createExecutionBinding,
  createInstallDriverRegistry,
  createInstallEngine,
  createScope,
  type Decision,
  describeInstall,
  type GrantedInstall,
  INSTALLER_DIGEST,
  type InstallDriverFactory,
  type InstallDriverRegistry,
  type InstallDriverRequest,
  type InstallEngine,
  type InstallSelection,
  type InstallTarget,
  type JournalStore,
  type RequestConsentAction,
  sha256Hex,
  timestampOf,
} from "../../src/index.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { Shelf, type ShelfFaults, shelfDriverFactory } from "./shelf.ts";

export const INSTALLER_ID = "shelf-installer-v1";
export const BODY = "---\nname: remote-testing\n---\nUse tests first.\n";
export const CATALOG_DIGEST: string = sha256Hex("catalog");
export const START = Date.UTC(2026, 7, 1, 12, 0, 0);
export const SCOPE = createScope({
  tenantId: "tenant-1",
  workspaceId: "workspace-1",
  repositoryId: "repository-1",
  sessionId: "session-1",
});

/** A clock that a test moves. */
export class TestClock {
  milliseconds = START;
  readonly read = (): string => timestampOf(this.milliseconds);
}

/** A real SQLite journal in an own directory, a shelf, and an engine over both. */
export interface Bench {
  readonly path: string;
  readonly clock: TestClock;
  readonly shelf: Shelf;
  readonly journal: JournalStore;
  readonly engine: InstallEngine;
  readonly registry: InstallDriverRegistry;
}

/** Makes a bench; everything is closed and removed when the test ends. */
export async function openBench(
  options: RegistryOptions & { readonly wrap?: (journal: JournalStore) => JournalStore } = {},
): Promise<Bench> {
  const directory = await mkdtemp(join(await realpath(tmpdir()), "install-engine-"));
  const clock = new TestClock();
  const path = join(directory, "state", "journal.sqlite3");
  const opened = await openJournal({ path, clock: clock.read });
  onTestFinished(async () => {
    await opened.close();
    await rm(directory, { recursive: true, force: true });
  });
  const journal = options.wrap?.(opened) ?? opened;
  const shelf = options.shelf ?? new Shelf();
  return {
    path,
    clock,
    shelf,
    journal,
    engine: createInstallEngine({ journal }),
    registry: shelfRegistry({ ...options, shelf }),
  };
}

export interface RegistryOptions {
  readonly shelf?: Shelf;
  readonly body?: string;
  readonly bodyOf?: (request: InstallDriverRequest) => string;
  readonly absenceProves?: InstallDriverFactory["absenceProves"];
  readonly faults?: ShelfFaults;
  readonly host?: string;
  readonly targetName?: string;
  readonly target?: InstallTarget;
}

/** The registry of one shelf. */
export function shelfRegistry(options: RegistryOptions & { readonly shelf: Shelf }): InstallDriverRegistry {
  const factory = shelfDriverFactory({
    shelf: options.shelf,
    body: options.bodyOf ?? (() => options.body ?? BODY),
    ...(options.absenceProves === undefined ? {} : { absenceProves: options.absenceProves }),
    ...(options.faults === undefined ? {} : { faults: options.faults }),
  });
  const binding = createExecutionBinding({
    driverId: INSTALLER_ID,
    driverDigest: INSTALLER_DIGEST,
    hostIdentityDigest: sha256Hex(options.host ?? "host"),
    targetIdentityDigest: sha256Hex(options.targetName ?? "target"),
  });
  const target = options.target === undefined ? {} : { target: options.target };
  return createInstallDriverRegistry([{ binding, capabilityKind: "skill", factory, ...target }]);
}

/** The selection of the skill that the tests install. */
export function selectionOf(name = "remote-testing", body = BODY): InstallSelection {
  return describeInstall({ capabilityId: `skill:${name}`, body, installerId: INSTALLER_ID });
}

/** Plans one install and returns its consent request. */
export async function planOne(
  engine: InstallEngine,
  selection: InstallSelection = selectionOf(),
  scope = SCOPE,
): Promise<RequestConsentAction> {
  const offer = await engine.planInstall({
    scope,
    selection,
    policy: createConsentPolicy(),
    catalogSnapshotDigest: CATALOG_DIGEST,
  });
  if (offer.kind !== "consent-required") {
    throw new Error(`planned, but the offer is ${offer.kind}`);
  }
  return offer.consent;
}

/** Answers a request as a person. */
export function answer(
  engine: InstallEngine,
  consent: RequestConsentAction,
  given: ConsentAnswer = "granted",
): Promise<Decision> {
  return engine.decide({ consent, basis: "interactive", answer: given, guard: createConsentGuard(consent, given) });
}

/** Everything a listing gives. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) {
    collected.push(item);
  }
  return collected;
}

/** Plans and grants one install. */
export async function grantOne(
  engine: InstallEngine,
  selection: InstallSelection = selectionOf(),
  scope = SCOPE,
): Promise<GrantedInstall> {
  const decision = await answer(engine, await planOne(engine, selection, scope));
  if (decision.kind !== "granted") {
    throw new Error(`granted, but the decision is ${decision.kind}`);
  }
  return decision.granted;
}
