import type { DirectoryEntry, MountStatus } from "@mesh/ffi/fs";
import { inStep } from "../batch.ts";
import type { Steps } from "../effects.ts";
import { SkillCasError } from "../error.ts";
import { type EffectObserver, type Interpreter, Run, runBlocking, runWaiting } from "../interpreters/run.ts";
import { createSyncInterpreter } from "../interpreters/sync.ts";
import { parseEntryName } from "../layout.ts";
import { checkFileSystem, type FileSystemFinding, hardLinksUnsupported, proveHardLinks } from "../root/file-system.ts";
import { type OpenedRoot, type OpenRootOptions, openRoot } from "../root/open.ts";
import { rootId } from "../root/root-id.ts";
import { type PutOutcome, putSteps, type StoreRequest, type StoreResults, stepsOf } from "./request.ts";

/** What is known of an open store. */
export interface StoreFacts {
  readonly path: string;
  /** Effective user id that everything in the store belongs to. */
  readonly owner: number;
  readonly device: bigint;
  readonly inode: bigint;
  /** Random id in `.mesh-root-id`: the same store after a remount, another store after a replacement. */
  readonly rootId: string;
  /** Named `unknown` where it could not be told; then there is a warning. */
  readonly fileSystem: MountStatus;
  /** What could not be found out about the place. */
  readonly warnings: readonly string[];
}

/** How a session runs what it is asked for. */
export interface SessionOptions extends OpenRootOptions {
  readonly onEffect?: EffectObserver | undefined;
  /** Stands between the algorithms and the disk: where tests let effects fail. */
  readonly interpose?: ((interpreter: Interpreter) => Interpreter) | undefined;
}

/** One open store on this thread. */
export class StoreSession {
  readonly facts: StoreFacts;
  readonly #root: OpenedRoot;
  readonly #options: SessionOptions;
  #closed = false;

  private constructor(root: OpenedRoot, id: string, found: FileSystemFinding, options: SessionOptions) {
    this.#root = root;
    this.#options = options;
    const { device, inode } = root.store.root;
    this.facts = { path: root.path, owner: root.store.owner, device, inode, rootId: id, ...found };
  }

  /** @throws SkillCasError of `openRoot` and ROOT_ID_INVALID */
  static open(options: SessionOptions): StoreSession {
    const root = openRoot(options);
    try {
      const found = checkFileSystem(root.directory);
      const interpreter = createSyncInterpreter(root.directory);
      const interposed = options.interpose?.(interpreter) ?? interpreter;
      const id = runBlocking(new Run(prepareRoot(root), interposed));
      return new StoreSession(root, id, found, options);
    } catch (error) {
      root.directory.close();
      throw error;
    }
  }

  /** Answers a request, blocking this thread while it waits for a lock. */
  executeBlocking<K extends StoreRequest["kind"]>(request: Extract<StoreRequest, { kind: K }>): StoreResults[K] {
    const { run, release } = this.#start(request);
    try {
      return runBlocking(run);
    } finally {
      release();
    }
  }

  /** Answers a request; waiting for a lock or for the body leaves the thread free. */
  async execute<K extends StoreRequest["kind"]>(
    request: Extract<StoreRequest, { kind: K }>,
    body?: () => Promise<Uint8Array>,
  ): Promise<StoreResults[K]> {
    const { run, release } = this.#start(request);
    try {
      return await runWaiting(run, body);
    } finally {
      release();
    }
  }

  /** The digests of the objects, in no order; memory does not grow with their number. */
  *objects(): Generator<string, void, undefined> {
    for (const entry of this.#open().directory.entries()) {
      const digest = objectDigest(entry);
      if (digest !== undefined) {
        yield digest;
      }
    }
  }

  /**
   * The digests of contents that a sweep has something to do about: those with a stage, and those of which only the lock
   * file is left. One may come twice. Memory does not grow with the number of entries.
   */
  *unfinished(): Generator<string, void, undefined> {
    const { directory } = this.#open();
    for (const entry of directory.entries()) {
      const parsed = entry.kind === "name" ? parseEntryName(entry.name) : OTHER;
      if (parsed.kind === "stage" || (parsed.kind === "lock" && directory.stat(parsed.digest) === undefined)) {
        yield parsed.digest;
      }
    }
  }

  /**
   * Puts several objects with merged directory syncs. What failed is an error at its place. A content whose lock is held
   * by somebody leaves the batch and is done alone afterwards, when nothing is held any more.
   */
  async putBatch(items: readonly Uint8Array[]): Promise<readonly PutOutcome[]> {
    const outcomes = this.#putTogether(items);
    return await Promise.all(
      outcomes.map(async (outcome, index) => {
        const bytes = items[index];
        return isBusy(outcome) && bytes !== undefined ? await this.#putAlone(bytes) : outcome;
      }),
    );
  }

  #putTogether(items: readonly Uint8Array[]): readonly PutOutcome[] {
    const root = this.#open();
    const interpreter = createSyncInterpreter(root.directory);
    const interposed = this.#options.interpose?.(interpreter) ?? interpreter;
    try {
      const batch = items.map((bytes) => putSteps(root.store, bytes, "try"));
      return runBlocking(new Run(inStep(batch), interposed, this.#options.onEffect)).map((settled) =>
        settled.kind === "returned" ? settled.value : { status: "failed", error: settled.error },
      );
    } finally {
      interpreter.closeAll();
    }
  }

  async #putAlone(bytes: Uint8Array): Promise<PutOutcome> {
    try {
      return await this.execute({ kind: "put", bytes });
    } catch (error) {
      return { status: "failed", error };
    }
  }

  /** Closes the directory. Requests after this fail with STORE_CLOSED. */
  close(): void {
    if (!this.#closed) {
      this.#closed = true;
      this.#root.directory.close();
    }
  }

  #open(): OpenedRoot {
    if (this.#closed) {
      throw storeClosed(this.facts.path);
    }
    return this.#root;
  }

  #start<K extends StoreRequest["kind"]>(request: Extract<StoreRequest, { kind: K }>): StartedRun<StoreResults[K]> {
    const root = this.#open();
    const interpreter = createSyncInterpreter(root.directory);
    const interposed = this.#options.interpose?.(interpreter) ?? interpreter;
    // StoreResults is the table by which stepsOf answers each kind.
    const steps = stepsOf(root.store, request) as Steps<StoreResults[K]>;
    return { run: new Run(steps, interposed, this.#options.onEffect), release: interpreter.closeAll };
  }
}

interface StartedRun<T> {
  readonly run: Run<T>;
  /** Closes what the run left open. */
  readonly release: () => void;
}

/** What is done once a store is opened, before anything is asked of it. */
function* prepareRoot(root: OpenedRoot): Steps<string> {
  let id: string;
  try {
    id = yield* rootId(root.store);
  } catch (error) {
    throw hardLinksUnsupported(root.path, error) ?? error;
  }
  yield* proveHardLinks(root.path);
  return id;
}

const OTHER = { kind: "other" } as const;

function isBusy(outcome: PutOutcome): boolean {
  return outcome.status === "failed" && outcome.error instanceof SkillCasError && outcome.error.code === "LOCK_BUSY";
}

/** The error of every call on a closed store. */
export function storeClosed(path: string): SkillCasError {
  return new SkillCasError({
    code: "STORE_CLOSED",
    message: `${path}: the store was closed; open it again`,
    facts: { path },
  });
}

function objectDigest(entry: DirectoryEntry): string | undefined {
  const parsed = entry.kind === "name" ? parseEntryName(entry.name) : undefined;
  return parsed?.kind === "object" ? parsed.digest : undefined;
}
