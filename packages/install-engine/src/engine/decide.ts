import { InstallEngineError } from "../error.ts";
import type { CommitGuard, JournalWaitOptions } from "../journal.ts";
import { check } from "../parse.ts";
import { actionContentDigest, type RequestConsentAction, requestConsentActionSchema } from "../types/action.ts";
import type { EngineEvent } from "../types/event.ts";
import { streamKeyOf } from "../types/scope.ts";
import { wireText } from "../wire.ts";
import type {
  ConsentAnswer,
  ConsentPolicySource,
  ConsentReservation,
  InteractiveConsentGuard,
} from "./consent-guard.ts";
import { type CommitAttempt, commitStep, type EngineContext, makeEvent, viewMeeting } from "./context.ts";
import type { StreamView } from "./known-views.ts";
import { type GrantedInstall, grantedOf } from "./plan.ts";
import { refusalOf } from "./refusal.ts";

/** A decision about one consent request. A policy can only grant. */
export type DecideRequest =
  | {
      readonly consent: RequestConsentAction;
      readonly basis: "interactive";
      readonly answer: ConsentAnswer;
      readonly guard: InteractiveConsentGuard;
    }
  | {
      readonly consent: RequestConsentAction;
      readonly basis: "preapproved-policy";
      readonly source: ConsentPolicySource;
    };

/** What became of a decision; durable. */
export type Decision =
  | { readonly kind: "granted"; readonly granted: GrantedInstall }
  | { readonly kind: "denied" }
  | { readonly kind: "expired" };

/** See `InstallEngine.decide`. */
export async function decideConsent(
  context: EngineContext,
  request: DecideRequest,
  options?: JournalWaitOptions,
): Promise<Decision> {
  const consent = check(requestConsentActionSchema, request.consent, "consent request");
  const answer = request.basis === "interactive" ? request.answer : "granted";
  // A request is valid for one revision alone: on an outdated view the commit finds that it is not outstanding any more.
  const view = await viewMeeting(context, streamKeyOf(consent.scope), demandOf(consent), options);
  const event = await decisionEvent(context, view, consent, request.basis, answer);
  const guard: CommitGuard =
    answer === "expired"
      ? { kind: "expire-consent", notBefore: consent.expiresAt }
      : { kind: "decision", notAfter: consent.expiresAt };
  const commit = (): Promise<CommitAttempt> => commitStep(context, view, event, guard, options);
  const committed =
    request.basis === "interactive"
      ? await withReservation(request.guard, consent, answer, commit)
      : await withPolicy(request.source, consent, commit);
  const decision = decisionOf(committed, answer);
  if (decision.kind === "granted") {
    context.views.noteGrant(decision.granted.action.actionId);
  }
  return decision;
}

async function decisionEvent(
  context: EngineContext,
  view: StreamView,
  consent: RequestConsentAction,
  basis: DecideRequest["basis"],
  answer: ConsentAnswer,
): Promise<EngineEvent> {
  return makeEvent(context, view, {
    kind: "UserDecision",
    scope: consent.scope,
    payload: {
      schema: "mesh.user-decision-v1",
      consentId: consent.consentId,
      actionId: consent.actionId,
      actionContentDigest: actionContentDigest(consent),
      decision: answer,
      basis,
      policyDigest: consent.payload.policySnapshotDigest,
    },
    occurredAt: await context.journal.now(),
    correlationId: consent.planId,
    causationId: consent.actionId,
    catalogSnapshotDigest: consent.catalogSnapshotId,
    privacy: consent.privacy,
  });
}

function demandOf(consent: RequestConsentAction): (view: StreamView) => void {
  return (view) => {
    requireOutstanding(view, consent);
  };
}

function requireOutstanding(view: StreamView, consent: RequestConsentAction): void {
  const outstanding = view.state?.pendingConsent ?? null;
  if (outstanding?.consentId !== consent.consentId) {
    throw new InstallEngineError({
      code: "CONSENT_NOT_PENDING",
      message: "this consent request is not the outstanding one; another event came between, or it was decided",
      facts: { found: consent.consentId, expected: outstanding?.consentId ?? null },
    });
  }
  if (actionContentDigest(outstanding) !== actionContentDigest(consent)) {
    throw new InstallEngineError({
      code: "ACTION_SUBSTITUTED",
      message: "the consent request has other content than the outstanding one",
      facts: { found: actionContentDigest(consent), expected: actionContentDigest(outstanding) },
    });
  }
}

/** Holds the person's answer over the commit. A guard's own error may quote a prompt, so it is not passed on. */
async function withReservation(
  guard: InteractiveConsentGuard,
  consent: RequestConsentAction,
  answer: ConsentAnswer,
  commit: () => Promise<CommitAttempt>,
): Promise<CommitAttempt> {
  const reservation = await guard.reserve(consent, answer).catch(() => {
    throw guardFailed("could not be reserved; nothing was decided");
  });
  let committed: CommitAttempt;
  try {
    committed = await commit();
  } catch (error) {
    await releaseQuietly(reservation);
    throw error;
  }
  if (committed.result.kind === "committed" || committed.result.kind === "duplicate") {
    await reservation.settle().catch(() => {
      throw guardFailed("could not be settled, though the decision is durable");
    });
  } else {
    await releaseQuietly(reservation);
  }
  return committed;
}

/** The commit's own error says more than a failing release could. */
async function releaseQuietly(reservation: ConsentReservation): Promise<void> {
  await reservation.release().catch(() => undefined);
}

/** Reads policy and descriptor again, right before the commit: only what is current may grant. */
async function withPolicy(
  source: ConsentPolicySource,
  consent: RequestConsentAction,
  commit: () => Promise<CommitAttempt>,
): Promise<CommitAttempt> {
  const { payload } = consent;
  const [policy, descriptor] = await readSource(source, consent.entityId);
  if (policy.policyDigest !== payload.policySnapshotDigest) {
    throw new InstallEngineError({
      code: "POLICY_SUBSTITUTED",
      message: "the current policy is not the one that the request was made under; plan again",
      facts: { found: policy.policyDigest, expected: payload.policySnapshotDigest },
    });
  }
  if (wireText(descriptor, "ascii") !== wireText(payload.installPlanDescriptor, "ascii")) {
    throw new InstallEngineError({
      code: "DESCRIPTOR_SUBSTITUTED",
      message: "the current descriptor is not the one that the request was made for; plan again",
      facts: { found: descriptor.descriptorDigest, expected: payload.installPlanDescriptor.descriptorDigest },
    });
  }
  return commit();
}

async function readSource(source: ConsentPolicySource, capabilityId: string) {
  try {
    return await Promise.all([source.currentPolicy(), source.descriptor(capabilityId)]);
  } catch {
    throw guardFailed("policy source could not be read; nothing was decided");
  }
}

function guardFailed(what: string): InstallEngineError {
  return new InstallEngineError({ code: "CONSENT_GUARD_FAILED", message: `the consent guard ${what}` });
}

function decisionOf({ step, result }: CommitAttempt, answer: ConsentAnswer): Decision {
  if (result.kind === "revision-conflict") {
    throw new InstallEngineError({
      code: "CONSENT_NOT_PENDING",
      message: "another event came between the consent request and the decision; read the new request",
      facts: { revision: result.head?.revision ?? 0 },
    });
  }
  if (result.kind === "early") {
    throw new InstallEngineError({
      code: "CONSENT_NOT_EXPIRED",
      message: `the time is ${result.now}, the consent request is open until ${result.notBefore}`,
      facts: { now: result.now, expiresAt: result.notBefore },
    });
  }
  if (result.kind !== "committed" && result.kind !== "duplicate") {
    throw refusalOf(result);
  }
  if (answer !== "granted") {
    return { kind: answer };
  }
  const effect = step.state.pendingEffects.at(-1);
  if (effect === undefined) {
    throw new InstallEngineError({ code: "EVENT_REFUSED", message: "the grant left no pending effect" });
  }
  return { kind: "granted", granted: grantedOf(effect) };
}
