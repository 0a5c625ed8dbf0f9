import { type EngineEvent, eventContentDigest } from "../types/event.ts";
import type { EngineState } from "../types/state.ts";
import type { Transition } from "../types/transition.ts";
import { reduceAbandoned, reduceActionExpired, reduceRebound } from "./close.ts";
import { reduceConsentExpired, reduceDecision } from "./decision.ts";
import { type Reduction, refuseEvent, type Step } from "./draft.ts";
import { offerConsent } from "./offer.ts";
import { reducePlan, reduceReoffer } from "./plan.ts";
import { reduceApplied, reduceFailed } from "./receipt.ts";

/** Version of the rules below. A record is replayed with exactly the version it was written with. */
export const REDUCER_VERSION = 1;

/** A state and the step that led to it. */
export interface ReductionResult {
  readonly state: EngineState;
  readonly transition: Transition;
}

/**
 * The pure core: what an event does to a state, and which actions follow. Deterministic; no clock, no randomness, no
 * I/O. The event is checked already (`checkEngineEvent`).
 *
 * @throws InstallEngineError with the code of the rule that refuses the event.
 */
export function reduce(state: EngineState | null, event: EngineEvent): ReductionResult {
  const fromRevision = state?.revision ?? 0;
  if (event.expectedRevision !== fromRevision) {
    throw refuseEvent(
      event,
      "EVENT_REFUSED",
      `made for revision ${event.expectedRevision}, the stream is at ${fromRevision}`,
      {
        found: event.expectedRevision,
        expected: fromRevision,
      },
    );
  }
  const toRevision = fromRevision + 1;
  const contentDigest = eventContentDigest(event);
  const { draft, actions } = apply(state, event, { eventContentDigest: contentDigest, toRevision });
  const pendingConsent = offerConsent(draft, { event, eventContentDigest: contentDigest, toRevision }, actions.length);
  const { policy, waiting, pendingEffects, reofferable, installed, blockedInstallDescriptorDigests } = draft;
  return {
    state: Object.freeze({
      schema: "mesh.install-state-v1",
      revision: toRevision,
      policy,
      waiting,
      pendingConsent,
      pendingEffects,
      reofferable,
      installed,
      blockedInstallDescriptorDigests,
    }),
    transition: Object.freeze({
      schema: "mesh.transition-v1",
      scope: event.scope,
      eventId: event.eventId,
      fromRevision,
      toRevision,
      actions: pendingConsent === null ? actions : [...actions, pendingConsent],
    }),
  };
}

function apply(state: EngineState | null, event: EngineEvent, ids: Omit<Reduction, "event">): Step {
  if (event.kind === "PlanCommitted") {
    return reducePlan(state, { ...ids, event });
  }
  if (state === null) {
    throw refuseEvent(event, "EVENT_REFUSED", "a stream starts with a plan");
  }
  switch (event.kind) {
    case "UserDecision":
      return reduceDecision(state, { ...ids, event });
    case "InstallConsentExpired":
      return reduceConsentExpired(state, { ...ids, event });
    case "ActionApplied":
      return reduceApplied(state, { ...ids, event });
    case "ActionFailed":
      return reduceFailed(state, { ...ids, event });
    case "ActionExpired":
      return reduceActionExpired(state, { ...ids, event });
    case "InstallReoffered":
      return reduceReoffer(state, { ...ids, event });
    case "InstallAbandoned":
      return reduceAbandoned(state, { ...ids, event });
    case "InstallTargetRebound":
      return reduceRebound(state, { ...ids, event });
  }
}
