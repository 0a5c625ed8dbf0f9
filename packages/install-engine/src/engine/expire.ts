import { InstallEngineError } from "../error.ts";
import type { JournalWaitOptions } from "../journal.ts";
import { check } from "../parse.ts";
import {
  actionContentDigest,
  checkInstallAction,
  type InstallCapabilityAction,
  type RequestConsentAction,
  requestConsentActionSchema,
} from "../types/action.ts";
import { commitRetrying, type EngineContext, makeEvent } from "./context.ts";
import { refusalOf } from "./refusal.ts";

/** See `InstallEngine.expireConsent`. */
export async function expireConsent(
  context: EngineContext,
  consent: RequestConsentAction,
  options?: JournalWaitOptions,
): Promise<void> {
  const request = check(requestConsentActionSchema, consent, "consent request");
  const { result } = await commitRetrying(
    context,
    request.scope,
    async (view) => ({
      event: makeEvent(context, view, {
        kind: "InstallConsentExpired",
        scope: request.scope,
        payload: { schema: "mesh.consent-expired-v1", consentId: request.consentId },
        occurredAt: await context.journal.now(),
        correlationId: request.planId,
        causationId: request.actionId,
        catalogSnapshotDigest: request.catalogSnapshotId,
        privacy: request.privacy,
      }),
      guard: { kind: "expire-consent", notBefore: request.expiresAt },
    }),
    options,
  );
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
}

/** See `InstallEngine.expireAction`. */
export async function expireAction(
  context: EngineContext,
  action: InstallCapabilityAction,
  options?: JournalWaitOptions,
): Promise<void> {
  const checked = checkInstallAction(action);
  const { result } = await commitRetrying(
    context,
    checked.scope,
    async (view) => ({
      event: makeEvent(context, view, {
        kind: "ActionExpired",
        scope: checked.scope,
        payload: actionReference(checked),
        occurredAt: await context.journal.now(),
        correlationId: checked.planId,
        causationId: checked.actionId,
        catalogSnapshotDigest: checked.catalogSnapshotId,
        privacy: checked.privacy,
      }),
      guard: {
        kind: "expire-action",
        actionId: checked.actionId,
        actionContentDigest: actionContentDigest(checked),
        expiresAt: checked.expiresAt,
      },
    }),
    options,
  );
  if (result.kind !== "committed" && result.kind !== "duplicate") {
    throw refusalOf(result);
  }
}

/** How an event names an install action (spec 7.4). */
export function actionReference(action: InstallCapabilityAction): {
  actionId: string;
  actionKind: "InstallCapability";
  actionContentDigest: string;
  actionPreconditionRevision: number;
} {
  return {
    actionId: action.actionId,
    actionKind: action.kind,
    actionContentDigest: actionContentDigest(action),
    actionPreconditionRevision: action.preconditionRevision,
  };
}
