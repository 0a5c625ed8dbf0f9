/**
 * Why a test part could not be made:
 *
 * - `COMPILER_MISSING`: there is no C compiler to run.
 * - `COMPILATION_FAILED`: the compiler refused; `output` is what it said.
 * - `SOURCES_MISSING`: the sources of the fault runtime are not where the repository has them.
 */
export type TestkitErrorCode = "COMPILER_MISSING" | "COMPILATION_FAILED" | "SOURCES_MISSING";

/** What a {@link TestkitError} is built from. */
export interface TestkitErrorFacts {
  readonly code: TestkitErrorCode;
  readonly message: string;
  readonly cause?: unknown;
  /** What the compiler printed. */
  readonly output?: string;
}

/** Every error the test kit itself raises. */
export class TestkitError extends Error {
  override readonly name = "TestkitError";
  readonly code: TestkitErrorCode;
  readonly output: string | undefined;

  constructor(facts: TestkitErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.output = facts.output;
  }
}
