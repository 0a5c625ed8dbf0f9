import { exactNumber } from "../decode.ts";
import type { KnownRuntimeEvent, RuntimeEvent } from "../event.ts";
import type { UnknownCode } from "../wire/codes.ts";
import type { EventKind } from "../wire/kinds.ts";
import { HOST_EVENT_TABLE, type HostEventId, type HostEventRow, type Severity } from "./host-event-table.ts";
import type { OpaqueIdentities } from "./identities.ts";

/** Progress as a host may show it. Numbers beyond 2^53 are left undefined rather than rounded. */
export interface HostProgress {
  readonly current: number | undefined;
  /** 0 where the end is unknown. */
  readonly total: number | undefined;
  /** Unknown units degrade to `none`. */
  readonly unit: "none" | "bytes" | "items" | "tensors" | "steps";
  /** Whole percent, rounded down; undefined where the end is unknown. */
  readonly percent: number | undefined;
}

/**
 * What a host may show, store or send of a native event: static words, codes, numbers and random names. No path, no text of the
 * runtime and no address is in it, unless the detail was asked for. Plain data that JSON can hold.
 */
export interface HostEvent {
  readonly id: HostEventId;
  readonly kind: EventKind;
  readonly severity: Severity;
  readonly message: string;
  readonly terminal: "success" | "failure" | undefined;
  /** Random name of the model; undefined when the event belongs to none. */
  readonly model: string | undefined;
  /** Random name of the session. */
  readonly session: string | undefined;
  /** Number of the event where it is exact. Nothing may be concluded from a gap (`sequenceEvidence`). */
  readonly sequence: number | undefined;
  readonly sequenceEvidence: "unchecked";
  readonly emitter: string;
  readonly status: string;
  readonly failureCode: string;
  /** The event's own numbers, each undefined where it is absent or not exact. */
  readonly numbers: readonly (number | undefined)[];
  readonly progress: HostProgress | undefined;
  /** Text of the runtime: private and not to be trusted. Only where it was asked for. */
  readonly detail?: string;
}

/** How native events become host events. */
export interface ToHostEventOptions {
  readonly identities: OpaqueIdentities;
  /** Takes the runtime's text along, which may hold absolute paths; false unless given. */
  readonly includeDetail?: boolean;
}

const nameOf = (code: string | UnknownCode): string => (typeof code === "string" ? code : `unknown (${code.raw})`);

function progressOf(event: KnownRuntimeEvent): HostProgress | undefined {
  if (event.kind !== "model-open-progress") return undefined;
  const { current, total, unit } = event.progress;
  // Whole numbers all the way: a percentage through a double would round a nearly complete load up to 100.
  const percent = total === 0n ? undefined : Number(((current > total ? total : current) * 100n) / total);
  return {
    current: exactNumber(current),
    total: exactNumber(total),
    unit: typeof unit === "string" ? unit : "none",
    percent,
  };
}

function severityOf(row: HostEventRow, event: KnownRuntimeEvent): Severity {
  if (row.severity === "fatal" || event.status === "ok") return row.severity;
  return "error";
}

function messageOf(row: HostEventRow, progress: HostProgress | undefined): string {
  if (progress === undefined) return row.message;
  if (progress.unit === "steps" && progress.percent !== undefined)
    return `Opening the native model: ${progress.percent} %.`;
  const end = progress.percent === undefined ? "" : ` of ${progress.total ?? "many"}`;
  return `Opening the native model: ${progress.current ?? "many"}${end}${progress.unit === "none" ? "" : ` ${progress.unit}`}.`;
}

/**
 * The event as a host may show it, or undefined for a kind this package does not know: what a number means cannot be guessed. Keeps
 * the identities in step, so give it every event in order.
 */
export function toHostEvent(
  event: RuntimeEvent,
  { identities, includeDetail = false }: ToHostEventOptions,
): HostEvent | undefined {
  if (event.kind === "unknown") return undefined;
  const row: HostEventRow & { id: HostEventId } = HOST_EVENT_TABLE[event.kind];
  if (event.kind === "kv-initialized") identities.releaseSession(event.modelId, event.sessionId);
  const progress = progressOf(event);
  const hostEvent: HostEvent = {
    id: row.id,
    kind: event.kind,
    severity: severityOf(row, event),
    message: messageOf(row, progress),
    terminal: row.terminal,
    model: identities.model(event.modelId),
    session: identities.session(event.modelId, event.sessionId),
    sequence: exactNumber(event.sequence),
    sequenceEvidence: "unchecked",
    emitter: nameOf(event.emitter),
    status: nameOf(event.status),
    failureCode: nameOf(event.failureCode),
    numbers: event.numericSummary.map((value) => (value === undefined ? undefined : exactNumber(value))),
    progress,
    ...(includeDetail ? { detail: event.detail.text } : {}),
  };
  // The runtime reports the end of an unload before it frees the object, so no later event of this model can be waiting.
  if (event.kind === "unload-completed") identities.releaseModel(event.modelId);
  return hostEvent;
}
