import { expect } from "vitest";
import { LlamaRuntimeError, type LlamaRuntimeErrorCode } from "../../src/error.ts";

/** The error of this package that a promise rejects with; the test fails when it resolves or throws another one. */
export async function failsWith(code: LlamaRuntimeErrorCode, promise: Promise<unknown>): Promise<LlamaRuntimeError> {
  const outcome: unknown = await promise.then(
    () => "it succeeded",
    (error: unknown) => error,
  );
  if (!(outcome instanceof LlamaRuntimeError)) throw new Error(`expected ${code}, got ${String(outcome)}`);
  expect(outcome.code).toBe(code);
  return outcome;
}
