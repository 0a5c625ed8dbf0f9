import { randomUUID } from "node:crypto";
import { sha256Hex } from "../digest.ts";
import { InstallEngineError } from "../error.ts";
import type { CommitGuard, CommitResult, JournalStore, JournalWaitOptions, StreamSnapshot } from "../journal.ts";
import { CONTENTION_ATTEMPTS_MAX, STATE_CACHE_ENTRIES_MAX } from "../limits.ts";
import { type SealedStep, sealStep } from "../reducer/replay.ts";
import { checkEngineEvent, type EngineEvent, type EngineEventOf } from "../types/event.ts";
import { PRIVACY_DEFAULT, type PrivacyLabel } from "../types/privacy.ts";
import { type ScopeRef, streamKeyOf } from "../types/scope.ts";
import { type EngineState, parseEngineState } from "../types/state.ts";
import type { KnownViews, StreamView } from "./known-views.ts";

/** Version that every event of this engine carries. */
export const ENGINE_VERSION = "mesh-install-engine-1";

/** What every operation of one engine shares. */
export interface EngineContext {
  readonly journal: JournalStore;
  readonly hostDescriptorDigest: string | null;
  /** Parsed states by digest: parsing verifies every digest inside, which a digest seen before need not pay again. */
  readonly states: Map<string, EngineState>;
  /** What was seen last of the streams this engine works on. */
  readonly views: KnownViews;
  /** Why an action was left unsettled when this engine last looked, for `unresolved()`. */
  readonly lastSeen: Map<string, LastSeen>;
  closed: boolean;
}

/** What was seen of an unsettled action, and when. */
export interface LastSeen {
  readonly at: string;
  readonly code: string;
  readonly facts: Readonly<Record<string, string | number | boolean | null>>;
}

/**
 * Reads a stream and checks that the state is the one its digest names.
 *
 * @throws InstallEngineError ENGINE_CLOSED, JOURNAL_CORRUPT
 */
export async function viewStream(
  context: EngineContext,
  streamKey: string,
  options?: JournalWaitOptions,
): Promise<StreamView> {
  requireOpen(context);
  const snapshot = await context.journal.snapshot(streamKey, options);
  const view: StreamView =
    snapshot === null
      ? { streamKey, state: null, recordDigest: null }
      : { streamKey, state: stateOf(context, snapshot), recordDigest: snapshot.recordDigest };
  context.views.remember(view);
  return view;
}

/**
 * What the engine knows of a stream if `demand` accepts it, otherwise what the journal has now, which `demand` must accept.
 * Only for an operation that ends in a commit or claim for the head of this view: see `KnownViews`.
 *
 * @throws InstallEngineError ENGINE_CLOSED, JOURNAL_CORRUPT, and what `demand` throws.
 */
export async function viewMeeting(
  context: EngineContext,
  streamKey: string,
  demand: (view: StreamView) => void,
  options?: JournalWaitOptions,
): Promise<StreamView> {
  requireOpen(context);
  const known = context.views.of(streamKey);
  if (known !== undefined && accepts(demand, known)) {
    return known;
  }
  const view = await viewStream(context, streamKey, options);
  demand(view);
  return view;
}

/** Whether a demand accepts a view; what it says of an outdated one is not worth an error. */
export function accepts(demand: (view: StreamView) => void, view: StreamView): boolean {
  try {
    demand(view);
    return true;
  } catch (error) {
    if (error instanceof InstallEngineError) {
      return false;
    }
    throw error;
  }
}

/** The state of a snapshot, parsed once per digest. */
export function stateOf(context: EngineContext, snapshot: StreamSnapshot): EngineState {
  const known = context.states.get(snapshot.stateDigest);
  if (known !== undefined) {
    return known;
  }
  if (sha256Hex(snapshot.stateText) !== snapshot.stateDigest) {
    throw new InstallEngineError({
      code: "JOURNAL_CORRUPT",
      message: "the state text of a stream does not have the digest that its record names; nothing was repaired",
      facts: { streamKey: snapshot.streamKey, member: "result_state_digest" },
    });
  }
  return remember(context, snapshot.stateDigest, parseEngineState(snapshot.stateText));
}

function remember(context: EngineContext, digest: string, state: EngineState): EngineState {
  const [oldest] = context.states.keys();
  if (context.states.size >= STATE_CACHE_ENTRIES_MAX && oldest !== undefined) {
    context.states.delete(oldest);
  }
  context.states.set(digest, state);
  return state;
}

/** The members of an event that its operation decides; the rest is the engine's. */
export interface EventInput<Kind extends EngineEvent["kind"]> {
  readonly kind: Kind;
  readonly scope: ScopeRef;
  readonly payload: EngineEventOf<Kind>["payload"];
  readonly occurredAt: string;
  readonly correlationId: string;
  readonly catalogSnapshotDigest: string;
  readonly causationId?: string;
  readonly eventId?: string;
  readonly privacy?: PrivacyLabel;
}

/** Makes an event for the revision of a view, checked like one from outside. */
export function makeEvent(
  context: EngineContext,
  view: StreamView,
  input: EventInput<EngineEvent["kind"]>,
): EngineEvent {
  return checkEngineEvent({
    eventId: input.eventId ?? `mesh-event-${randomUUID()}`,
    kind: input.kind,
    scope: input.scope,
    expectedRevision: view.state?.revision ?? 0,
    occurredAt: input.occurredAt,
    payload: input.payload,
    privacy: input.privacy ?? PRIVACY_DEFAULT,
    protocolVersion: 1,
    correlationId: input.correlationId,
    causationId: input.causationId ?? null,
    engineVersion: ENGINE_VERSION,
    plannerVersion: null,
    policyVersion: null,
    hostDescriptorDigest: context.hostDescriptorDigest,
    catalogSnapshotDigest: input.catalogSnapshotDigest,
    semanticModelDigest: null,
    semanticIndexDigest: null,
    workSignature: null,
    randomSeed: null,
  });
}

/** A committed step, or the journal's refusal of it. */
export type CommitAttempt = { readonly step: SealedStep; readonly result: CommitResult };

/** Reduces an event on a view and commits the sealed record. */
export async function commitStep(
  context: EngineContext,
  view: StreamView,
  event: EngineEvent,
  guard: CommitGuard,
  options?: JournalWaitOptions,
): Promise<CommitAttempt> {
  const step = sealStep(view.state, view.recordDigest, event);
  const result = await context.journal.commit({ record: step.record, guard }, options);
  if (result.kind === "committed") {
    remember(context, step.record.resultStateDigest, step.state);
    context.views.remember({
      streamKey: view.streamKey,
      state: step.state,
      recordDigest: step.record.recordDigest,
    });
  } else {
    context.views.forget(view.streamKey);
  }
  return { step, result };
}

/**
 * Commits an event that may be made again for a newer revision: `make` is asked anew after each conflict. `first` is a view
 * that was read just now, if there is one.
 *
 * @throws InstallEngineError SNAPSHOT_CONTENDED after `CONTENTION_ATTEMPTS_MAX` conflicts.
 */
export async function commitRetrying(
  context: EngineContext,
  scope: ScopeRef,
  make: (view: StreamView) => Promise<{ readonly event: EngineEvent; readonly guard: CommitGuard }>,
  options?: JournalWaitOptions,
  first?: StreamView,
): Promise<CommitAttempt> {
  const streamKey = streamKeyOf(scope);
  for (let attempt = 1; attempt <= CONTENTION_ATTEMPTS_MAX; attempt += 1) {
    const view = attempt === 1 && first !== undefined ? first : await viewStream(context, streamKey, options);
    const { event, guard } = await make(view);
    const committed = await commitStep(context, view, event, guard, options);
    if (committed.result.kind !== "revision-conflict") {
      return committed;
    }
  }
  throw new InstallEngineError({
    code: "SNAPSHOT_CONTENDED",
    message: `the stream moved ${CONTENTION_ATTEMPTS_MAX} times while an event was made for it; try again`,
    facts: { streamKey, attempts: CONTENTION_ATTEMPTS_MAX },
  });
}

/** @throws InstallEngineError ENGINE_CLOSED */
export function requireOpen(context: EngineContext): void {
  if (context.closed) {
    throw new InstallEngineError({ code: "ENGINE_CLOSED", message: "this engine is closed; open another one" });
  }
}
