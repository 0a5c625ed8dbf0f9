import type { HeldInstallDriver, InstallDriverObservation, InstallDriverRequest, InstallReason } from "../driver.ts";
import { type ErrorFact, isFatal } from "../error.ts";
import type { InstallDriverRegistration } from "../registry.ts";
import { checkObservation } from "./observation.ts";

/** What driving one driver gave: what was seen, why not more, and the fatal error to re-throw after settlement. */
export interface DriveResult {
  readonly observation: InstallDriverObservation | null;
  readonly reason: InstallReason | null;
  readonly fatal: { readonly error: unknown } | null;
}

/**
 * Runs a driver (spec 7.3): connect, apply if and only if this run won the claim, look at the world always, let go.
 *
 * A fatal error of `connect` propagates at once, since nothing can have happened yet; one of a later step is kept, so
 * that what did happen is settled first. Any other error becomes a reason.
 */
export async function driveInstall(
  registration: InstallDriverRegistration,
  request: InstallDriverRequest,
  claimWasNew: boolean,
): Promise<DriveResult> {
  const { signal } = request;
  let driver: HeldInstallDriver;
  try {
    driver = await registration.factory.connect(request);
  } catch (error) {
    if (isFatal(error, signal)) {
      throw error;
    }
    return { observation: null, reason: reasonOf("driver-connect-failed", error), fatal: null };
  }
  if (!isHeldDriver(driver)) {
    return { observation: null, reason: { code: "driver-malformed", facts: {} }, fatal: null };
  }
  const applied = claimWasNew ? await attempt(() => driver.applyOnce(), signal) : DONE;
  const looked = await attempt(() => driver.reconcile(), signal);
  const released = await attempt(() => driver[Symbol.asyncDispose](), signal);
  // The first fatal error is the one that the caller caused; the later ones may only follow from it.
  const fatal = [applied, looked, released].find((step) => step.fatal)?.error;
  return {
    ...observed(applied, looked, released),
    fatal: fatal === undefined ? null : fatal,
  };
}

/** One step of a driver that ended. */
interface Attempt {
  readonly value: unknown;
  readonly error: { readonly error: unknown } | null;
  readonly fatal: boolean;
}

const DONE: Attempt = { value: undefined, error: null, fatal: false };

async function attempt(step: () => PromiseLike<unknown>, signal: AbortSignal | undefined): Promise<Attempt> {
  try {
    return { value: await step(), error: null, fatal: false };
  } catch (error) {
    return { value: undefined, error: { error }, fatal: isFatal(error, signal) };
  }
}

function observed(applied: Attempt, looked: Attempt, released: Attempt): Omit<DriveResult, "fatal"> {
  if (looked.error !== null) {
    return { observation: null, reason: reasonOf("driver-reconcile-failed", looked.error.error) };
  }
  const observation = checkObservation(looked.value);
  if (observation === null) {
    return { observation: null, reason: { code: "driver-observation-malformed", facts: {} } };
  }
  if (released.error !== null && !released.fatal) {
    // A driver that cannot let go may not have finished what it answered.
    return { observation: null, reason: reasonOf("driver-release-failed", released.error.error) };
  }
  const failed = applied.error === null ? null : reasonOf("driver-apply-failed", applied.error.error);
  return { observation, reason: observation.reason ?? failed };
}

function isHeldDriver(driver: unknown): driver is HeldInstallDriver {
  return (
    typeof driver === "object" &&
    driver !== null &&
    "applyOnce" in driver &&
    typeof driver.applyOnce === "function" &&
    "reconcile" in driver &&
    typeof driver.reconcile === "function" &&
    Symbol.asyncDispose in driver &&
    typeof driver[Symbol.asyncDispose] === "function"
  );
}

/** A reason from an error: its name, code and errno, never its message, which may quote content or a path. */
export function reasonOf(code: string, error: unknown): InstallReason {
  const facts: Record<string, ErrorFact> = {};
  if (error instanceof Error) {
    facts["errorName"] = error.name;
  }
  if (typeof error === "object" && error !== null) {
    for (const key of ["code", "errno", "errnoName", "syscall"] as const) {
      const value: unknown = key in error ? Reflect.get(error, key) : undefined;
      if (typeof value === "string" || typeof value === "number") {
        facts[key === "code" ? "errorCode" : key] = value;
      }
    }
  }
  return { code, facts };
}
