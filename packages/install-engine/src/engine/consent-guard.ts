import { InstallEngineError } from "../error.ts";
import type { RequestConsentAction } from "../types/action.ts";
import type { InstallConsentPolicy } from "../types/consent-policy.ts";
import type { InstallPlanDescriptor } from "../types/install-plan-descriptor.ts";

/** A person's answer. */
export type ConsentAnswer = "granted" | "denied" | "expired";

/**
 * The host's one-shot proof that a person gave this answer to this request (spec 6). It is reserved before the commit,
 * held over it, settled when the decision is durable and released when it is not.
 */
export interface InteractiveConsentGuard {
  reserve(request: RequestConsentAction, answer: ConsentAnswer): Promise<ConsentReservation>;
}

/** A guard that is held. Exactly one of the two is called. */
export interface ConsentReservation {
  settle(): Promise<void>;
  release(): Promise<void>;
}

/** Where the current policy and the exact descriptors come from, read again right before a policy grants. */
export interface ConsentPolicySource {
  currentPolicy(): InstallConsentPolicy | Promise<InstallConsentPolicy>;
  descriptor(capabilityId: string): InstallPlanDescriptor | Promise<InstallPlanDescriptor>;
}

/**
 * The decision of a person whom the host asked in its own way, for `InstallEngine.decide`.
 */
export function answerConsent(
  consent: RequestConsentAction,
  answer: ConsentAnswer,
): {
  readonly consent: RequestConsentAction;
  readonly basis: "interactive";
  readonly answer: ConsentAnswer;
  readonly guard: InteractiveConsentGuard;
} {
  return { consent, basis: "interactive", answer, guard: createConsentGuard(consent, answer) };
}

/**
 * A guard for hosts that asked in their own way: good for one answer to one request.
 *
 * A reservation that was released (the commit failed) may be taken again; after it was settled, never.
 */
export function createConsentGuard(request: RequestConsentAction, answer: ConsentAnswer): InteractiveConsentGuard {
  let state: "open" | "reserved" | "settled" = "open";
  return Object.freeze({
    reserve: (asked: RequestConsentAction, given: ConsentAnswer): Promise<ConsentReservation> => {
      if (state !== "open" || asked.consentId !== request.consentId || given !== answer) {
        const found = state === "open" ? `${given} for ${asked.consentId}` : `a guard that is ${state}`;
        return Promise.reject(
          new InstallEngineError({
            code: "CONSENT_GUARD_FAILED",
            message: `the guard is for one answer, ${answer} for ${request.consentId}; found ${found}`,
          }),
        );
      }
      state = "reserved";
      return Promise.resolve({
        settle: () => {
          state = "settled";
          return Promise.resolve();
        },
        release: () => {
          state = "open";
          return Promise.resolve();
        },
      });
    },
  });
}
