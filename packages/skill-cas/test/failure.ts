import { SkillCasError } from "../src/error.ts";

/** The error an action fails with, whether it throws or rejects; fails the test where it does neither. */
export async function failureOf(action: () => unknown): Promise<SkillCasError> {
  let result: unknown;
  try {
    result = await action();
  } catch (error) {
    if (error instanceof SkillCasError) {
      return error;
    }
    throw error;
  }
  throw new Error(`expected a SkillCasError, got ${JSON.stringify(result)}`);
}
