import { CancelledError } from "./cancelled-error.ts";
import { nativeRuntime, type NativeCall } from "./native.ts";
import { type CallContext, unwrap } from "./outcome.ts";

/** How often a cancel is repeated while its call has not registered itself with the runtime yet. */
export const CANCEL_RETRY_MS = 10;

/** How long a cancelled call may take to return before its caller is let go. */
export const CANCEL_WAIT_MS_MAX = 2_000;

/** Which calls the runtime can stop when asked to (native/abi/mesh_ext.h). */
export interface CancelSupport {
  readonly open: boolean;
  readonly session: boolean;
}

/** A call that a signal may end. */
export interface CancellableCall<Value> extends CallContext {
  /** Starts the call; not called when the signal has fired already. */
  readonly start: () => NativeCall<Value>;
  /** Whether the runtime can stop this kind of call (native/abi/mesh_ext.h). */
  readonly canCancel: boolean;
  /** Frees a value that arrives after its caller has gone. */
  readonly discard: (value: Value) => void;
}

/**
 * Runs a native call to its value. When the signal fires and the runtime can stop, the call is told to and its return is
 * awaited, up to {@link CANCEL_WAIT_MS_MAX}, because only the return says what happened; otherwise the caller is let go at
 * once and the call runs on to its end, observed by nobody.
 *
 * @throws CancelledError, and the errors of {@link unwrap}.
 */
export async function settle<Value>(call: CancellableCall<Value>): Promise<Value> {
  const { signal, operation } = call;
  if (signal?.aborted === true) {
    throw new CancelledError({ operation, nativeWork: "not-started", reason: signal.reason });
  }
  const started = call.start();
  if (signal === undefined) return unwrap(await started.settled, call);
  const outcome = await Promise.race([started.settled, letGo(call, signal, started)]);
  if (outcome === "let-go") {
    discardLater(started, call.discard);
    throw new CancelledError({ operation, nativeWork: "running", reason: signal.reason });
  }
  if (outcome.ok && hasFired(signal)) {
    // The call won the race against its cancel. The caller asked for none, so there is nobody to own the value.
    call.discard(outcome.value);
    throw new CancelledError({ operation, nativeWork: "stopped", reason: signal.reason });
  }
  return unwrap(outcome, call);
}

/** A read of its own, since the compiler holds `aborted` to what it was before the wait. */
function hasFired(signal: AbortSignal): boolean {
  return signal.aborted;
}

function letGo<Value>(
  call: CancellableCall<Value>,
  signal: AbortSignal,
  started: NativeCall<Value>,
): Promise<"let-go"> {
  return new Promise((resolve) => {
    let retry: NodeJS.Timeout | undefined;
    let giveUp: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      nativeRuntime().cancel(started.operation);
    };
    const onAbort = (): void => {
      cancel();
      if (!call.canCancel) {
        resolve("let-go");
        return;
      }
      retry = setInterval(cancel, CANCEL_RETRY_MS);
      giveUp = setTimeout(() => {
        clearInterval(retry);
        resolve("let-go");
      }, CANCEL_WAIT_MS_MAX);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    void started.settled.then(() => {
      signal.removeEventListener("abort", onAbort);
      clearInterval(retry);
      clearTimeout(giveUp);
    });
  });
}

function discardLater<Value>(started: NativeCall<Value>, discard: (value: Value) => void): void {
  void started.settled.then((outcome) => {
    if (outcome.ok) discard(outcome.value);
  });
}
