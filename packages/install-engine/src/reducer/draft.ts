import { InstallEngineError, type InstallEngineErrorCode } from "../error.ts";
import type { HostAction } from "../types/action.ts";
import type { EngineEvent } from "../types/event.ts";
import type { EngineState, PendingEffect } from "../types/state.ts";

/** A state on its way to the next revision. */
export type Draft = Omit<EngineState, "schema" | "revision" | "pendingConsent">;

/** What one event does: the changed state, and the actions before a new consent request is added. */
export interface Step {
  readonly draft: Draft;
  readonly actions: readonly HostAction[];
}

/** The event being reduced, with what ids are derived from. */
export interface Reduction<Event extends EngineEvent = EngineEvent> {
  readonly event: Event;
  readonly eventContentDigest: string;
  readonly toRevision: number;
}

/** Refuses an event; nothing was changed. */
export function refuseEvent(
  event: EngineEvent,
  code: InstallEngineErrorCode,
  message: string,
  facts: Readonly<Record<string, string | number | null>> = {},
): InstallEngineError {
  return new InstallEngineError({
    code,
    message: `${event.kind} is refused: ${message}`,
    facts: { eventKind: event.kind, eventId: event.eventId, ...facts },
  });
}

/** A list without the entries of one capability, so that at most one per capability is ever in it. */
export function withoutCapability<
  Entry extends { readonly planned: { readonly selection: { readonly capabilityId: string } } },
>(entries: readonly Entry[], capabilityId: string): readonly Entry[] {
  return entries.filter((entry) => entry.planned.selection.capabilityId !== capabilityId);
}

/** A draft in which an effect has ended. */
export function withoutEffect(draft: Draft, ended: PendingEffect): Draft {
  return { ...draft, pendingEffects: draft.pendingEffects.filter((effect) => effect !== ended) };
}

/** A draft in which a descriptor can never be planned again. */
export function withBlocked(draft: Draft, descriptorDigest: string): Draft {
  const blocked = draft.blockedInstallDescriptorDigests;
  return blocked.includes(descriptorDigest)
    ? draft
    : { ...draft, blockedInstallDescriptorDigests: [...blocked, descriptorDigest] };
}
