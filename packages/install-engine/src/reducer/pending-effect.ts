import { actionContentDigest } from "../types/action.ts";
import type { EngineEvent } from "../types/event.ts";
import type { EngineState, PendingEffect } from "../types/state.ts";
import { refuseEvent } from "./draft.ts";

/** Every event that names an action, and how it names it. */
type ActionEvent = Extract<EngineEvent, { readonly payload: { readonly actionPreconditionRevision: number } }>;

/** The pending effect that an event names: the same id, content and revision, in the same scope. */
export function requirePendingEffect(state: EngineState, event: ActionEvent): PendingEffect {
  const { actionId, actionContentDigest: named, actionPreconditionRevision } = event.payload;
  const effect = state.pendingEffects.find((candidate) => candidate.action.actionId === actionId);
  if (effect === undefined) {
    throw refuseEvent(event, "ACTION_NOT_PENDING", `${actionId} is not a pending install of this stream`, { actionId });
  }
  const expected = actionContentDigest(effect.action);
  if (named !== expected || actionPreconditionRevision !== effect.action.preconditionRevision) {
    throw refuseEvent(event, "ACTION_SUBSTITUTED", "the event names the action with other content", {
      actionId,
      found: named,
      expected,
    });
  }
  return effect;
}
