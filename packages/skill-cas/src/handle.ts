import { type Handle, perform, type Steps } from "./effects.ts";

/**
 * Runs an algorithm with an open handle and closes it afterwards. A failure to close never hides the failure that came
 * before it; where nothing failed before, it is reported (an ignored error of close has lost data for others).
 */
export function* withHandle<T>(handle: Handle, body: () => Steps<T>): Steps<T> {
  let result: T;
  try {
    result = yield* body();
  } catch (error) {
    yield* closeQuietly(handle);
    throw error;
  }
  yield* perform({ kind: "close", handle });
  return result;
}

/** Closes a handle after a failure: the first error is the one that says what happened. */
export function* closeQuietly(handle: Handle): Steps<void> {
  try {
    yield* perform({ kind: "close", handle });
  } catch {
    // The handle is gone either way.
  }
}
