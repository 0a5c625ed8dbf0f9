/** What was executed and how it ended. `skipped` is never part of `passed`. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 };
export const ONE_PASSED: Counts = { passed: 1, failed: 0, skipped: 0 };
export const ONE_FAILED: Counts = { passed: 0, failed: 1, skipped: 0 };

export function sum(all: readonly Counts[]): Counts {
  return all.reduce(
    (total, one) => ({
      passed: total.passed + one.passed,
      failed: total.failed + one.failed,
      skipped: total.skipped + one.skipped,
    }),
    NOTHING,
  );
}

/** The line a run ends with; `.ci/run` reads it back. */
export function countedLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** Nothing that passed is not a success: a run that found no work proves nothing. */
export function isSuccess({ passed, failed }: Counts): boolean {
  return failed === 0 && passed > 0;
}
