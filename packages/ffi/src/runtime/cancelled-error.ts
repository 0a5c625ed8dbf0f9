import { FfiError } from "../error.ts";

/** What became of the native work when a signal ended a call. */
export type NativeWork =
  /** It was never started. */
  | "not-started"
  /** The runtime stopped and the call has returned. */
  | "stopped"
  /** The call still runs on its own thread; the runtime cannot be stopped, or did not stop in time. Its result is freed. */
  | "running";

/** What a {@link CancelledError} is made from. */
export interface CancelledErrorOptions {
  readonly operation: string;
  readonly nativeWork: NativeWork;
  readonly reason: unknown;
}

/**
 * The caller's signal ended a call. Named `AbortError`, as every interface of Node names it; `cause` is the signal's reason.
 * That this is a cancellation is known from our own flag and never read out of a native message.
 */
export class CancelledError extends FfiError {
  override readonly name = "AbortError";
  override readonly code = "CANCELLED";
  readonly cancelled = true;
  readonly nativeWork: NativeWork;

  constructor({ operation, nativeWork, reason }: CancelledErrorOptions) {
    super({
      code: "CANCELLED",
      message: `${operation} was cancelled by its signal; native work: ${nativeWork}.`,
      cause: reason,
      operation,
      nativeWork,
    });
    this.nativeWork = nativeWork;
  }
}
