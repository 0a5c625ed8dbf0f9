import { type Facts, SkillCasError, type SkillCasErrorCode } from "../error.ts";
import type { CompletedEffect } from "../interpreters/run.ts";
import type { StoreFacts } from "../store/session.ts";
import type { PutResult, StoreRequest, StoreResults } from "../store/request.ts";

/** What the worker thread is started with. */
export interface WorkerOptions {
  readonly root: string;
  readonly create: boolean;
  /** Whether every completed effect is told to the thread that asked. */
  readonly tellEffects: boolean;
}

/** What can be listed: the objects, or what a sweep has something to do about. */
export type Listing = "objects" | "unfinished";

/** An item of a batch, as it crosses a thread boundary. */
export type PlainPutOutcome = PutResult | { readonly status: "failed"; readonly error: PlainError };

/** To the worker thread. */
export type MessageToWorker =
  | { readonly kind: "request"; readonly id: number; readonly request: StoreRequest }
  | { readonly kind: "body"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "no-body"; readonly id: number; readonly error: PlainError }
  | { readonly kind: "put-batch"; readonly id: number; readonly items: readonly Uint8Array[] }
  | { readonly kind: "list"; readonly id: number; readonly what: Listing; readonly cursor: number | undefined }
  | { readonly kind: "end-list"; readonly cursor: number }
  | { readonly kind: "close" };

/** From the worker thread. */
export type MessageFromWorker =
  | { readonly kind: "opened"; readonly facts: StoreFacts }
  | { readonly kind: "not-opened"; readonly error: PlainError }
  | { readonly kind: "answer"; readonly id: number; readonly result: StoreResults[StoreRequest["kind"]] }
  | { readonly kind: "page"; readonly id: number; readonly cursor: number; readonly digests: readonly string[] }
  | { readonly kind: "batch"; readonly id: number; readonly outcomes: readonly PlainPutOutcome[] }
  | { readonly kind: "failure"; readonly id: number; readonly error: PlainError }
  | { readonly kind: "load-body"; readonly id: number }
  | { readonly kind: "effect"; readonly step: CompletedEffect };

/** An error as it crosses a thread boundary: the structured clone of an Error would lose code and facts. */
export interface PlainError {
  readonly code: SkillCasErrorCode;
  readonly message: string;
  readonly facts: Facts;
}

/** @see PlainError */
export function toPlainError(error: unknown): PlainError {
  if (error instanceof SkillCasError) {
    return { code: error.code, message: error.message, facts: error.facts };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: "WORKER_FAILED", message, facts: {} };
}

/** @see PlainError */
export function fromPlainError(error: PlainError): SkillCasError {
  return new SkillCasError(error);
}
