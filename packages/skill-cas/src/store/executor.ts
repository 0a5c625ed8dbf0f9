import type { EffectObserver } from "../interpreters/run.ts";
import { WorkerClient } from "../worker/client.ts";
import type { StoreRequest, StoreResults } from "./request.ts";
import { StoreSession } from "./session.ts";

/**
 * Where the algorithms of a store run: `worker` in a thread of its own, or `sync` on the calling thread, where every
 * effect blocks it (waiting for a lock or a body does not).
 */
export type InterpreterKind = "worker" | "sync";

/** Answers requests, wherever the algorithms run. */
export interface StoreExecutor {
  execute<K extends StoreRequest["kind"]>(
    request: Extract<StoreRequest, { kind: K }>,
    body?: () => Promise<Uint8Array>,
  ): Promise<StoreResults[K]>;
  close(): Promise<void> | void;
}

/** Opens the root of a store for one kind of interpreter. */
export async function openExecutor(
  kind: InterpreterKind,
  root: string,
  onEffect: EffectObserver | undefined,
): Promise<StoreExecutor> {
  return kind === "sync"
    ? StoreSession.open({ root, create: false, onEffect })
    : await WorkerClient.open({ root, create: false }, onEffect);
}
