import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { StoreSession } from "../store/session.ts";
import {
  fromPlainError,
  type MessageFromWorker,
  type MessageToWorker,
  toPlainError,
  type WorkerOptions,
} from "./messages.ts";

/** Most digests that one message of a listing carries. */
const LIST_PAGE_DIGESTS_MAX = 256;

interface AwaitedBody {
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** Serves one store to the thread that started this one. */
class WorkerServer {
  readonly #port: MessagePort;
  readonly #session: StoreSession;
  readonly #bodies = new Map<number, AwaitedBody>();
  readonly #listings = new Map<number, Generator<string, void, undefined>>();
  #nextCursor = 1;

  constructor(port: MessagePort, session: StoreSession) {
    this.#port = port;
    this.#session = session;
  }

  receive(message: MessageToWorker): void {
    switch (message.kind) {
      case "request":
        void this.#answer(message);
        break;
      case "body":
        this.#takeBody(message.id)?.resolve(message.bytes);
        break;
      case "no-body":
        this.#takeBody(message.id)?.reject(fromPlainError(message.error));
        break;
      case "list":
        this.#list(message);
        break;
      case "put-batch":
        void this.#putBatch(message);
        break;
      case "end-list":
        this.#listings.get(message.cursor)?.return();
        this.#listings.delete(message.cursor);
        break;
      case "close":
        this.#session.close();
        this.#port.close();
        break;
    }
  }

  #send(message: MessageFromWorker): void {
    this.#port.postMessage(message);
  }

  async #answer({ id, request }: Extract<MessageToWorker, { kind: "request" }>): Promise<void> {
    try {
      const result = await this.#session.execute(request, () => this.#awaitBody(id));
      this.#send({ kind: "answer", id, result });
    } catch (error) {
      this.#send({ kind: "failure", id, error: toPlainError(error) });
    }
  }

  #awaitBody(id: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#bodies.set(id, { resolve, reject });
      this.#send({ kind: "load-body", id });
    });
  }

  #takeBody(id: number): AwaitedBody | undefined {
    const awaited = this.#bodies.get(id);
    this.#bodies.delete(id);
    return awaited;
  }

  async #putBatch({ id, items }: Extract<MessageToWorker, { kind: "put-batch" }>): Promise<void> {
    try {
      const outcomes = (await this.#session.putBatch(items)).map((outcome) =>
        outcome.status === "failed" ? { status: outcome.status, error: toPlainError(outcome.error) } : outcome,
      );
      this.#send({ kind: "batch", id, outcomes });
    } catch (error) {
      this.#send({ kind: "failure", id, error: toPlainError(error) });
    }
  }

  #list({ id, what, cursor }: Extract<MessageToWorker, { kind: "list" }>): void {
    try {
      const key = cursor ?? this.#nextCursor++;
      const listing = this.#listings.get(key) ?? this.#session[what]();
      this.#listings.set(key, listing);
      const digests: string[] = [];
      while (digests.length < LIST_PAGE_DIGESTS_MAX) {
        const next = listing.next();
        if (next.done === true) {
          break;
        }
        digests.push(next.value);
      }
      this.#send({ kind: "page", id, cursor: key, digests });
    } catch (error) {
      this.#send({ kind: "failure", id, error: toPlainError(error) });
    }
  }
}

function serve(port: MessagePort, options: WorkerOptions): void {
  const send = (message: MessageFromWorker): void => {
    port.postMessage(message);
  };
  let session: StoreSession;
  try {
    session = StoreSession.open({
      ...options,
      onEffect: options.tellEffects
        ? (step) => {
            send({ kind: "effect", step });
          }
        : undefined,
    });
  } catch (error) {
    send({ kind: "not-opened", error: toPlainError(error) });
    return;
  }
  const server = new WorkerServer(port, session);
  port.on("message", (message: MessageToWorker) => {
    server.receive(message);
  });
  send({ kind: "opened", facts: session.facts });
}

function isStoreThread(data: unknown): data is WorkerOptions {
  return typeof data === "object" && data !== null && "root" in data && "tellEffects" in data;
}

/**
 * Whether this module serves a store: only in the thread that `openSkillStore` starts. It is an entry of its own because a
 * thread needs a file; importing it anywhere else does nothing.
 */
export const servesStore: boolean = parentPort !== null && isStoreThread(workerData);
if (parentPort !== null && isStoreThread(workerData)) serve(parentPort, workerData);
