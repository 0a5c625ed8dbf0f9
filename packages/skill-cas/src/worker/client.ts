import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { SkillCasError } from "../error.ts";
import type { EffectObserver } from "../interpreters/run.ts";
import type { PutResult, StoreRequest, StoreResults } from "../store/request.ts";
import { type StoreFacts, storeClosed } from "../store/session.ts";
import {
  fromPlainError,
  type Listing,
  type MessageFromWorker,
  type MessageToWorker,
  toPlainError,
  type WorkerOptions,
} from "./messages.ts";

/** What became of one item of `putMany`, in the order of the input. */
export type PutManyResult = PutResult | { readonly status: "failed"; readonly error: SkillCasError };

interface Pending {
  readonly resolve: (message: MessageFromWorker) => void;
  readonly reject: (error: unknown) => void;
  readonly body: (() => Promise<Uint8Array>) | undefined;
}

/**
 * A store in its own thread. One round trip a request, none an effect: a hop for each would cost more than the syncs.
 *
 * The thread keeps the process alive only while something is being waited for.
 */
export class WorkerClient {
  readonly facts: StoreFacts;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #ended: Promise<void>;
  #nextId = 1;
  #closed = false;
  /** Set once the thread is gone although nobody asked it to go: what is asked then would wait for ever. */
  #failure: SkillCasError | undefined;

  private constructor(worker: Worker, facts: StoreFacts, onEffect: EffectObserver | undefined) {
    this.#worker = worker;
    this.facts = facts;
    this.#ended = new Promise((resolve) => {
      worker.once("exit", () => {
        this.#failure ??= workerFailed("the thread ended");
        this.#failAll(this.#failure);
        resolve();
      });
    });
    worker.on("error", (error) => {
      this.#failAll(workerFailed(String(error), error));
    });
    worker.on("message", (message: MessageFromWorker) => {
      this.#receive(message, onEffect);
    });
    worker.unref();
  }

  /** @throws SkillCasError of opening the root, or WORKER_FAILED */
  static async open(options: Omit<WorkerOptions, "tellEffects">, onEffect?: EffectObserver): Promise<WorkerClient> {
    const workerData: WorkerOptions = { ...options, tellEffects: onEffect !== undefined };
    const worker = new Worker(workerFile(), { workerData });
    const first = await firstMessage(worker);
    if (first.kind === "opened") {
      return new WorkerClient(worker, first.facts, onEffect);
    }
    await worker.terminate();
    throw first.kind === "not-opened" ? fromPlainError(first.error) : workerFailed(first.kind);
  }

  /** Answers a request in the thread. The body, where the algorithm asks for it, is loaded in this one. */
  async execute<K extends StoreRequest["kind"]>(
    request: Extract<StoreRequest, { kind: K }>,
    body?: () => Promise<Uint8Array>,
  ): Promise<StoreResults[K]> {
    const message = await this.#ask((id) => ({ kind: "request", id, request }), body);
    if (message.kind !== "answer") {
      throw workerFailed(`answered a request with ${message.kind}`);
    }
    // StoreResults is the table by which the server answers each kind.
    return message.result as StoreResults[K];
  }

  /** Puts several objects with merged directory syncs; what failed is an error at its place. */
  async putBatch(items: readonly Uint8Array[]): Promise<readonly PutManyResult[]> {
    const message = await this.#ask((id) => ({ kind: "put-batch", id, items }));
    if (message.kind !== "batch") {
      throw workerFailed(`answered a batch with ${message.kind}`);
    }
    return message.outcomes.map((outcome) =>
      outcome.status === "failed" ? { status: outcome.status, error: fromPlainError(outcome.error) } : outcome,
    );
  }

  /** Digests, in no order, page by page. */
  async *list(what: Listing): AsyncGenerator<string, void, undefined> {
    let cursor: number | undefined;
    try {
      for (;;) {
        const from = cursor;
        const message = await this.#ask((id) => ({ kind: "list", id, what, cursor: from }));
        if (message.kind !== "page") {
          throw workerFailed(`answered a listing with ${message.kind}`);
        }
        cursor = message.cursor;
        if (message.digests.length === 0) {
          return;
        }
        yield* message.digests;
      }
    } finally {
      if (cursor !== undefined && !this.#closed) {
        this.#send({ kind: "end-list", cursor });
      }
    }
  }

  /** Lets what is running finish, then ends the thread. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#worker.ref();
      await Promise.allSettled(this.#running);
      this.#send({ kind: "close" });
    }
    await this.#ended;
  }

  #ask(make: (id: number) => MessageToWorker, body?: () => Promise<Uint8Array>): Promise<MessageFromWorker> {
    if (this.#closed) {
      return Promise.reject(storeClosed(this.facts.path));
    }
    if (this.#failure !== undefined) {
      return Promise.reject(this.#failure);
    }
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = new Promise<MessageFromWorker>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, body });
      this.#worker.ref();
      this.#send(make(id));
    });
    const forget = (): void => {
      this.#running.delete(answer);
    };
    this.#running.add(answer);
    answer.then(forget, forget);
    return answer;
  }

  #send(message: MessageToWorker): void {
    this.#worker.postMessage(message);
  }

  #receive(message: MessageFromWorker, onEffect: EffectObserver | undefined): void {
    switch (message.kind) {
      case "effect":
        onEffect?.(message.step);
        break;
      case "load-body":
        void this.#load(message.id);
        break;
      case "failure":
        this.#take(message.id)?.reject(fromPlainError(message.error));
        break;
      case "answer":
      case "page":
      case "batch":
        this.#take(message.id)?.resolve(message);
        break;
      case "opened":
      case "not-opened":
        break;
    }
  }

  async #load(id: number): Promise<void> {
    try {
      const body = this.#pending.get(id)?.body;
      if (body === undefined) {
        throw new TypeError("the algorithm asked for a body and none was offered");
      }
      this.#send({ kind: "body", id, bytes: await body() });
    } catch (error) {
      this.#send({ kind: "no-body", id, error: toPlainError(error) });
    }
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) {
      this.#worker.unref();
    }
    return pending;
  }

  #failAll(error: SkillCasError): void {
    for (const id of [...this.#pending.keys()]) {
      this.#take(id)?.reject(error);
    }
  }
}

/** Only its own listeners are removed afterwards: Node keeps some of its own on a worker. */
function firstMessage(worker: Worker): Promise<MessageFromWorker> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      worker.off("message", received).off("error", failed).off("exit", ended);
    };
    const received = (message: MessageFromWorker): void => {
      settle();
      resolve(message);
    };
    const failed = (error: unknown): void => {
      settle();
      reject(workerFailed(String(error), error));
    };
    const ended = (code: number): void => {
      settle();
      reject(workerFailed(`the thread ended with ${code} before it had opened the store`));
    };
    worker.on("message", received).on("error", failed).on("exit", ended);
  });
}

/** Found through the package's own name, so that it works from both formats, from chunks and from a packed tarball. */
function workerFile(): string {
  return createRequire(import.meta.url).resolve("@mesh/skill-cas/worker");
}

function workerFailed(found: string, cause?: unknown): SkillCasError {
  return new SkillCasError({
    code: "WORKER_FAILED",
    message: `the worker thread of the store failed: ${found}; open the store again`,
    cause,
    facts: { found },
  });
}
