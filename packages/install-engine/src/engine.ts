import { checkExecuteRequest, claimInstall, type ExecuteInstallRequest } from "./engine/authorize.ts";
import type { EngineContext } from "./engine/context.ts";
import { type DecideRequest, type Decision, decideConsent } from "./engine/decide.ts";
import { expireAction, expireConsent } from "./engine/expire.ts";
import { KnownViews } from "./engine/known-views.ts";
import {
  type InstallOffer,
  type PlanInstallRequest,
  planInstall,
  type ReofferRequest,
  reofferInstall,
} from "./engine/plan.ts";
import {
  installStatus,
  type ListedInstall,
  listInstalled,
  type StreamOverview,
  streamOverview,
} from "./engine/read-model.ts";
import { type InstallExecutionHandle, prepareInstallExecution } from "./execution/handle.ts";
import type { InstallClaim } from "./journal/rows.ts";
import type { InstallExecutionStatus, JournalStore, JournalWaitOptions } from "./journal.ts";
import { type AbandonRequest, abandonInstall, type RebindRequest, rebindTarget } from "./recovery/operator.ts";
import { type RecoverOptions, type RecoveryReport, recoverInstalls } from "./recovery/recover.ts";
import { type UnresolvedAction, unresolvedInstalls } from "./recovery/unresolved.ts";
import type { InstallDriverRegistry } from "./registry.ts";
import type { InstallCapabilityAction, RequestConsentAction } from "./types/action.ts";
import type { StreamId } from "./types/scope.ts";

/** What an engine is made from. It closes nothing that it was given. */
export interface InstallEngineOptions {
  readonly journal: JournalStore;
  /** Digest of the host's own description; every event carries it. */
  readonly hostDescriptorDigest?: string;
}

/**
 * Consent, claim, apply at most once, look at the world, settle only what was seen.
 *
 * Every method rejects with InstallEngineError; besides the codes named, with ENGINE_CLOSED and the journal's codes.
 * Times are the journal's. A `signal` ends waiting; what is being made durable is finished first.
 */
export interface InstallEngine extends AsyncDisposable {
  /**
   * Says that a capability is wanted. Commits the plan unless an offer stands already, and returns what has to be done
   * next. Planning again after a crash is harmless.
   *
   * @throws InstallEngineError INVALID_VALUE, DIGEST_MISMATCH, SELECTION_SUBSTITUTED, SNAPSHOT_CONTENDED
   */
  planInstall(request: PlanInstallRequest, options?: JournalWaitOptions): Promise<InstallOffer>;
  /**
   * Decides the outstanding consent request. Granted, the install action is durable when this returns and lives for
   * `ACTION_LIFE_MS`. Denied or expired, the descriptor is blocked.
   *
   * @throws InstallEngineError CONSENT_NOT_PENDING, CONSENT_EXPIRED, CONSENT_NOT_EXPIRED, CONSENT_ROUTE_REFUSED,
   * CONSENT_GUARD_FAILED, POLICY_SUBSTITUTED, DESCRIPTOR_SUBSTITUTED, ACTION_SUBSTITUTED
   */
  decide(request: DecideRequest, options?: JournalWaitOptions): Promise<Decision>;
  /**
   * Retires a request that nobody answered in its time; its descriptor is not blocked.
   *
   * @throws InstallEngineError CONSENT_NOT_PENDING, CONSENT_NOT_EXPIRED
   */
  expireConsent(consent: RequestConsentAction, options?: JournalWaitOptions): Promise<void>;
  /**
   * Ends an action that nobody claimed in its time; it may be offered again.
   *
   * @throws InstallEngineError ACTION_NOT_EXPIRED, ACTION_CLAIMED, ACTION_NOT_PENDING, ACTION_SUBSTITUTED
   */
  expireAction(action: InstallCapabilityAction, options?: JournalWaitOptions): Promise<void>;
  /**
   * Offers again what was proven not to have happened: a retryable failure or an unclaimed expiry. A grant is for one
   * action, so consent is asked for again, by the route of the policy given.
   *
   * @throws InstallEngineError NOT_RETRYABLE, SNAPSHOT_CONTENDED
   */
  reoffer(request: ReofferRequest, options?: JournalWaitOptions): Promise<InstallOffer>;
  /**
   * Makes the one-use right to run an action here. Checks that the parts belong together; does no I/O.
   *
   * @throws InstallEngineError INVALID_VALUE, DIGEST_MISMATCH, one of the *_SUBSTITUTED codes, DRIVER_NOT_REGISTERED
   */
  prepareInstallExecution(request: ExecuteInstallRequest): InstallExecutionHandle;
  /**
   * Burns the claim without running a driver: afterwards the action can only be reconciled. For hosts that stop before
   * they apply, and for tests of recovery.
   *
   * @throws InstallEngineError like `execute`
   */
  claimWithoutExecution(request: ExecuteInstallRequest, options?: JournalWaitOptions): Promise<InstallClaim>;
  /**
   * Looks at every claimed, unsettled action of every stream and settles what can be settled. Never applies.
   */
  recover(registry: InstallDriverRegistry, options?: RecoverOptions): Promise<RecoveryReport>;
  /** Every claimed action that is not closed, why, and what this engine saw of it. */
  unresolved(options?: JournalWaitOptions): Promise<readonly UnresolvedAction[]>;
  /**
   * An operator gives a claimed action up: no outcome is recorded, the descriptor is blocked.
   *
   * @throws InstallEngineError CLAIM_REQUIRED, ABANDON_REFUSED (the outcome is known), ACTION_SETTLED, ACTION_NOT_PENDING
   */
  abandon(action: InstallCapabilityAction, request: AbandonRequest, options?: JournalWaitOptions): Promise<void>;
  /**
   * An operator says that a renumbered target is the same place; afterwards this action reconciles there.
   *
   * @throws InstallEngineError REBIND_REFUSED, TARGET_REFUSED (another id or path), BINDING_SUBSTITUTED
   */
  rebindTarget(action: InstallCapabilityAction, request: RebindRequest, options?: JournalWaitOptions): Promise<void>;
  /** What is settled as applied, in every stream whose members equal the ones given. */
  listInstalled(filter?: Partial<StreamId>, options?: JournalWaitOptions): AsyncIterable<ListedInstall>;
  /** What is open in one stream; null if nothing ever happened there. */
  overview(stream: StreamId, options?: JournalWaitOptions): Promise<StreamOverview | null>;
  /** How far an action got. */
  status(action: InstallCapabilityAction, options?: JournalWaitOptions): Promise<InstallExecutionStatus>;
  /** Refuses every later call; again is harmless. The journal stays open: it belongs to whoever opened it. */
  close(): Promise<void>;
}

/** Makes an engine over a journal. Several engines, in several processes, may share one. */
export function createInstallEngine(options: InstallEngineOptions): InstallEngine {
  const context: EngineContext = {
    journal: options.journal,
    hostDescriptorDigest: options.hostDescriptorDigest ?? null,
    states: new Map(),
    views: new KnownViews(),
    lastSeen: new Map(),
    closed: false,
  };
  const close = (): Promise<void> => {
    context.closed = true;
    return Promise.resolve();
  };
  return Object.freeze<InstallEngine>({
    planInstall: (request, wait) => planInstall(context, request, wait),
    decide: (request, wait) => decideConsent(context, request, wait),
    expireConsent: (consent, wait) => expireConsent(context, consent, wait),
    expireAction: (action, wait) => expireAction(context, action, wait),
    reoffer: (request, wait) => reofferInstall(context, request, wait),
    prepareInstallExecution: (request) => prepareInstallExecution(context, request),
    claimWithoutExecution: async (request, wait) =>
      (await claimInstall(context, checkExecuteRequest(request), wait)).claim,
    recover: (registry, recoverOptions) => recoverInstalls(context, registry, recoverOptions),
    unresolved: (wait) => unresolvedInstalls(context, wait),
    abandon: (action, request, wait) => abandonInstall(context, action, request, wait),
    rebindTarget: (action, request, wait) => rebindTarget(context, action, request, wait),
    listInstalled: (filter = {}, wait = {}) => listInstalled(context, filter, wait),
    overview: (stream, wait) => streamOverview(context, stream, wait),
    status: (action, wait) => installStatus(context, action, wait),
    close,
    [Symbol.asyncDispose]: close,
  });
}
