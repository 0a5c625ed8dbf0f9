import { expect } from "vitest";
import { InstallEngineError } from "../../src/error.ts";

/** Demands that a promise rejects with a code of this package, and gives the error. */
export async function refused(
  code: InstallEngineError["code"],
  promise: Promise<unknown>,
): Promise<InstallEngineError> {
  const error: unknown = await promise.then(
    () => new Error(`expected ${code}, but the call succeeded`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InstallEngineError);
  if (!(error instanceof InstallEngineError)) {
    throw error;
  }
  expect(error.code, error.message).toBe(code);
  return error;
}
