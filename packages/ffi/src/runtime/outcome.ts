import { statusName } from "../abi/status.ts";
import { FfiError } from "../error.ts";
import { CancelledError } from "./cancelled-error.ts";
import type { NativeFailure, NativeOutcome } from "./native.ts";

/** What a call was for, so that its failure can be told to people. */
export interface CallContext {
  /** Short, for a message: `opening /models/a.gguf`. */
  readonly operation: string;
  /** The code of a native status that is not OK. */
  readonly failureCode: "MODEL_OPEN_FAILED" | "RUNTIME_CALL_FAILED";
  /** The code when the object was closed before the call began. */
  readonly closedCode: "MODEL_CLOSED" | "SESSION_CLOSED";
  readonly signal?: AbortSignal | undefined;
}

/** The value of a call, or the error of this package that its failure is. */
export function unwrap<Value>(outcome: NativeOutcome<Value>, context: CallContext): Value {
  if (outcome.ok) return outcome.value;
  throw toError(outcome.failure, context);
}

function toError(failure: NativeFailure, context: CallContext): FfiError {
  const { operation } = context;
  switch (failure.kind) {
    case "status": {
      const name = statusName(failure.status);
      // The message is the runtime's own words; it may name paths and is for the operator, not for the outside.
      const said = failure.message === null ? "it gave no reason" : `it said: ${failure.message}`;
      return new FfiError({
        code: context.failureCode,
        message: `${operation} failed: ${failure.function} returned ${name} (${failure.status}); ${said}`,
        function: failure.function,
        status: failure.status,
        statusName: name,
        nativeMessage: failure.message,
      });
    }
    case "null-handle":
      return new FfiError({
        code: "RUNTIME_NULL_HANDLE",
        message: `${operation} failed: ${failure.function} returned OK and no handle. The runtime is defective.`,
        function: failure.function,
      });
    case "threw":
      return new FfiError({
        code: "RUNTIME_THREW",
        message: `${operation} failed: ${failure.function} threw a C++ exception across the C ABI: ${failure.message}`,
        function: failure.function,
      });
    case "cancelled":
      return new CancelledError({
        operation,
        nativeWork: failure.status === null ? "not-started" : "stopped",
        reason: context.signal?.reason,
      });
    case "closed":
      return closedError(context.closedCode, operation);
    case "exiting":
      return new FfiError({
        code: "RUNTIME_EXITING",
        message: `${operation} was not started: the process is exiting.`,
      });
    case "no-thread":
      return new FfiError({
        code: "RUNTIME_THREAD_UNAVAILABLE",
        message: `${operation} was not started: the system gave no thread (${failure.message}). Close sessions or raise the limit.`,
      });
    default:
      return unreachable(failure);
  }
}

export function closedError(code: "MODEL_CLOSED" | "SESSION_CLOSED", operation: string): FfiError {
  const what = code === "MODEL_CLOSED" ? "model" : "session";
  return new FfiError({ code, message: `${operation}: this ${what} was closed. Open another one.` });
}

function unreachable(failure: never): never {
  throw new Error(`the addon reported a failure of an unknown kind: ${JSON.stringify(failure)}`);
}

/**
 * Lets whoever awaits an earlier call hear of it first. The last call and a close can settle in one batch of results, and a
 * promise that passed through fewer functions would then be told earlier than one that was made before it.
 */
export function afterEarlierCalls(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
