import {
  createExecutionBinding,
  type HeldInstallDriver,
  INSTALLER_DIGEST,
  type InstallDriverFactory,
  type InstallDriverRequest,
  type InstallExecutionBinding,
  type InstallTarget,
  skillStoreTargetDigest,
} from "@mesh/install-engine";
import { SkillCasError } from "../error.ts";
import type { EffectObserver } from "../interpreters/run.ts";
import { openRoot } from "../root/open.ts";
import { type InterpreterKind, openExecutor, type StoreExecutor } from "../store/executor.ts";
import { type StoreFacts, StoreSession } from "../store/session.ts";
import type { SkillBodySource } from "./body-source.ts";
import { eligibleMaterial } from "./eligibility.ts";
import { HeldSkillCasDriver } from "./held-driver.ts";

/** How a driver factory is made. */
export interface SkillCasDriverOptions {
  /** Absolute path of the store's directory. It must exist; `openSkillStore` with `create` makes it. */
  readonly root: string;
  readonly bodySource: SkillBodySource;
  /** Token of the installer that plans name, for example `ctx-skill-installer-v1`. */
  readonly installerId: string;
  /** SHA-256 that names this host. */
  readonly hostIdentityDigest: string;
  /** Where the algorithms run; `worker` unless told otherwise. */
  readonly interpreter?: InterpreterKind;
  /**
   * Told of every completed effect, before the next one. With `sync` it runs between the effects and may block or never
   * return; with `worker` it is told afterwards.
   */
  readonly onEffect?: EffectObserver;
}

/** Connects drivers that install skills into one store. */
export interface SkillCasDriverFactory extends InstallDriverFactory, AsyncDisposable {
  readonly absenceProves: "not-applied";
  /** Which driver acts, on which host, on which root: what a registration needs. */
  readonly binding: InstallExecutionBinding;
  /** The root as facts beside a claim. `id` is the random id in `.mesh-root-id`. */
  readonly target: InstallTarget;
  /** Ends the thread and closes the root. Connected drivers fail afterwards. */
  close(): Promise<void>;
}

/**
 * Authenticates the root and makes a driver factory for it (spec 9.5). The identity of the root is taken now; a
 * connection is refused once the path leads to another directory.
 *
 * @throws SkillCasError ROOT_MISSING, ROOT_UNSAFE, ROOT_CHANGED, ROOT_ID_INVALID, FILE_SYSTEM_UNSUPPORTED,
 * INVALID_ARGUMENT; InstallEngineError INVALID_VALUE for a malformed installer id or host digest.
 */
export function createSkillCasDriverFactory(options: SkillCasDriverOptions): SkillCasDriverFactory {
  const { interpreter, root, onEffect } = options;
  return createFactory(options, () => openExecutor(interpreter ?? "worker", root, onEffect));
}

/** The same over an executor that the caller opens: where tests let effects fail. */
export function createFactory(
  options: SkillCasDriverOptions,
  openStore: () => Promise<StoreExecutor>,
): SkillCasDriverFactory {
  const facts = readFacts(options.root);
  const binding = createExecutionBinding({
    driverId: options.installerId,
    driverDigest: INSTALLER_DIGEST,
    hostIdentityDigest: options.hostIdentityDigest,
    targetIdentityDigest: targetDigest(facts),
  });
  return new Factory(options, facts, binding, openStore);
}

class Factory implements SkillCasDriverFactory {
  readonly absenceProves = "not-applied";
  readonly binding: InstallExecutionBinding;
  readonly target: InstallTarget;
  readonly #options: SkillCasDriverOptions;
  readonly #openStore: () => Promise<StoreExecutor>;
  #executor: Promise<StoreExecutor> | undefined;

  constructor(
    options: SkillCasDriverOptions,
    facts: StoreFacts,
    binding: InstallExecutionBinding,
    openStore: () => Promise<StoreExecutor>,
  ) {
    this.#options = options;
    this.#openStore = openStore;
    this.binding = binding;
    this.target = {
      id: facts.rootId,
      path: facts.path,
      device: facts.device.toString(),
      inode: facts.inode.toString(),
    };
  }

  async connect(request: InstallDriverRequest): Promise<HeldInstallDriver> {
    const { installerId, hostIdentityDigest, bodySource } = this.#options;
    const { targetIdentityDigest } = this.binding;
    this.#refuseChangedRoot();
    const material = eligibleMaterial(request, { installerId, hostIdentityDigest, targetIdentityDigest });
    return new HeldSkillCasDriver({ request, material, bodySource, executor: await this.#open() });
  }

  async close(): Promise<void> {
    const executor = this.#executor;
    this.#executor = Promise.reject(closed(this.target.path));
    this.#executor.catch(() => undefined);
    await (await executor?.catch(() => undefined))?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #open(): Promise<StoreExecutor> {
    this.#executor ??= this.#openStore();
    return this.#executor;
  }

  /**
   * The way to the root is authenticated anew for every connection, and must lead to the same directory. What a store
   * needs of its file system was tried when the factory was made, and is tried again when the store is opened.
   */
  #refuseChangedRoot(): void {
    const now = openRoot({ root: this.#options.root, create: false });
    now.directory.close();
    const { device, inode } = now.store.root;
    if (targetDigest({ path: now.path, device, inode }) !== this.binding.targetIdentityDigest) {
      const found = `inode ${inode} on device ${device}`;
      const expected = `inode ${this.target.inode} on device ${this.target.device}`;
      throw new SkillCasError({
        code: "ROOT_CHANGED",
        message: `${now.path}: found ${found}; expected ${expected}. The root was replaced since this driver was made`,
        facts: { path: now.path, found, expected },
      });
    }
  }
}

function readFacts(root: string): StoreFacts {
  const session = StoreSession.open({ root, create: false });
  session.close();
  return session.facts;
}

function targetDigest(facts: Pick<StoreFacts, "path" | "device" | "inode">): string {
  return skillStoreTargetDigest({ canonicalRoot: facts.path, device: facts.device, inode: facts.inode });
}

function closed(path: string): SkillCasError {
  return new SkillCasError({
    code: "STORE_CLOSED",
    message: `${path}: the driver factory was closed; make another one`,
    facts: { path },
  });
}
