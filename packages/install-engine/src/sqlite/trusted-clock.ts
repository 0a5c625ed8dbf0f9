import { InstallEngineError } from "../error.ts";
import { type Clock, isTimestamp, type Timestamp } from "../timestamp.ts";

/**
 * The time by which consents, actions and claims expire. Whatever the clock throws is not passed on: it comes from the
 * host and may say what an error of the journal must not (spec 5.4).
 *
 * @throws InstallEngineError CLOCK_FAILED without a cause.
 */
export function trustedNow(clock: Clock): Timestamp {
  let now: unknown;
  try {
    now = clock();
  } catch {
    now = undefined;
  }
  if (typeof now !== "string" || !isTimestamp(now)) {
    throw new InstallEngineError({
      code: "CLOCK_FAILED",
      message: "The clock of the journal gave no UTC timestamp such as 2026-08-01T12:00:00Z. Nothing was written.",
    });
  }
  return now;
}
