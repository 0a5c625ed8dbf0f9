import type { InstallReason } from "../driver.ts";
import { type EngineContext, requireOpen } from "../engine/context.ts";
import { InstallEngineError, isFatal } from "../error.ts";
import { reasonOf } from "../execution/drive.ts";
import type { InstallExecutionReport } from "../execution/report.ts";
import { finishClaim } from "../execution/run.ts";
import type { InstallClaim } from "../journal/rows.ts";
import type { ActionKey, JournalWaitOptions } from "../journal.ts";
import { RECOVERY_CLAIMS_MAX, RECOVERY_PAGE_CLAIMS } from "../limits.ts";
import type { InstallDriverRegistry } from "../registry.ts";
import { parseInstallAction } from "../types/action.ts";
import { lastSeenKey, noteReport } from "./last-seen.ts";

/** How much a recovery may do. */
export interface RecoverOptions extends JournalWaitOptions {
  /** Most claims to look at; default `RECOVERY_CLAIMS_MAX`. */
  readonly claimsMax?: number;
}

/** What became of one claim. */
export type RecoveredAction = ActionKey & { readonly capabilityId: string } & (
    | { readonly kind: "finished"; readonly report: InstallExecutionReport }
    /** The claim stays open; `reason` says why. */
    | { readonly kind: "unresolved"; readonly reason: InstallReason }
  );

/** What a recovery did. */
export interface RecoveryReport {
  readonly actions: readonly RecoveredAction[];
  /** Whether the limit ended it before every claim was looked at. */
  readonly truncated: boolean;
}

/** See `InstallEngine.recover`. */
export async function recoverInstalls(
  context: EngineContext,
  registry: InstallDriverRegistry,
  options: RecoverOptions = {},
): Promise<RecoveryReport> {
  requireOpen(context);
  const claimsMax = options.claimsMax ?? RECOVERY_CLAIMS_MAX;
  const actions: RecoveredAction[] = [];
  for await (const claim of unsettledClaims(context, options)) {
    if (actions.length >= claimsMax) {
      return { actions, truncated: true };
    }
    options.signal?.throwIfAborted();
    actions.push(await recoverClaim(context, registry, claim, options));
  }
  return { actions, truncated: false };
}

/** Every claim that is neither settled nor abandoned, a page at a time. */
export async function* unsettledClaims(
  context: EngineContext,
  options: JournalWaitOptions,
): AsyncGenerator<InstallClaim> {
  let after: ActionKey | undefined;
  for (;;) {
    const page = await context.journal.unsettledClaims({
      limit: RECOVERY_PAGE_CLAIMS,
      ...(after === undefined ? {} : { after }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < RECOVERY_PAGE_CLAIMS) {
      return;
    }
    after = { streamKey: last.streamKey, actionId: last.actionId };
  }
}

async function recoverClaim(
  context: EngineContext,
  registry: InstallDriverRegistry,
  claim: InstallClaim,
  options: JournalWaitOptions,
): Promise<RecoveredAction> {
  const action = parseInstallAction(claim.actionText);
  const key = { streamKey: claim.streamKey, actionId: claim.actionId };
  const of = { ...key, capabilityId: action.entityId };
  try {
    const registration = registry.resolve(action, action.payload.installPlanDescriptor);
    const report = await context.journal.withActionLock(
      key,
      () => finishClaim(context, claim, registration, false, options),
      options,
    );
    await noteReport(context, key, report);
    return report.settled || report.reason === null
      ? { ...of, kind: "finished", report }
      : { ...of, kind: "unresolved", reason: report.reason };
  } catch (error) {
    if (isFatal(error, options.signal) || !(error instanceof InstallEngineError) || error.code === "JOURNAL_CORRUPT") {
      throw error;
    }
    // One claim that cannot be finished (another place, no driver, a lock that is held) must not keep the others waiting.
    const reason = unresolvedReason(error);
    context.lastSeen.set(lastSeenKey(key), { at: await context.journal.now(), ...reason });
    return { ...of, kind: "unresolved", reason };
  }
}

function unresolvedReason(error: InstallEngineError): InstallReason {
  const code = error.code.toLowerCase().replaceAll("_", "-");
  return { code, facts: { ...reasonOf(code, error).facts, ...error.facts } };
}
