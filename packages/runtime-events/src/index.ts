export { decodeRecords, exactNumber } from "./decode.ts";
export { EventDetail } from "./detail.ts";
export { RuntimeEventsError, type RuntimeEventsErrorCode, type RuntimeEventsErrorFacts } from "./error.ts";
export type {
  EventProgress,
  KnownRuntimeEvent,
  NumericSummary,
  RuntimeEvent,
  RuntimeEventFacts,
  RuntimeEventOf,
  UnknownRuntimeEvent,
} from "./event.ts";
export type {
  EventCategory,
  EventEmitter,
  EventStatus,
  FailureCode,
  ProgressUnit,
  UnknownCode,
} from "./wire/codes.ts";
export { type EventFamily, REPORTER_FAMILIES, type ReporterFamily } from "./wire/families.ts";
export { EVENT_KINDS, type EventFamilyOf, type EventKind } from "./wire/kinds.ts";
export { DETAIL_BYTES_MAX, RECORD_BYTES } from "./wire/layout.ts";
export type { ModelOpenContradiction, ModelOpenObservation } from "./observe/observation.ts";
export {
  type ObservedModelOpenOptions,
  type ObserveModelOpenOptions,
  observeModelOpen,
} from "./observe/observe-model-open.ts";
export { DRAIN_INTERVAL_MS, type ObservedOpen } from "./observe/observe-open.ts";
export type { ModelOpenResult } from "./observe/open-result.ts";
export { type FamilyCounts, type FamilyTally, familyTally } from "./coverage/family-tally.ts";
export { type FamilyCoverage, type FamilyVerdict, judgeFamilyCoverage, REQUIRED_FAMILIES } from "./coverage/judge.ts";
export { type KindRun, kindRuns } from "./coverage/kind-runs.ts";
export {
  type CoalesceOptions,
  coalesceProgress,
  PROGRESS_INTERVAL_MS,
  type ProgressCoalescer,
} from "./host/coalesce.ts";
export { type HostEvent, type HostProgress, type ToHostEventOptions, toHostEvent } from "./host/host-event.ts";
export { HOST_EVENT_TABLE, type HostEventId, type HostEventRow, type Severity } from "./host/host-event-table.ts";
export { IDENTITIES_MAX, OpaqueIdentities } from "./host/identities.ts";
export { ACTIVE_INTERVAL_MS, IDLE_INTERVAL_MS_MAX } from "./subscribe/backoff.ts";
export type { StreamItem } from "./subscribe/bounded-buffer.ts";
export { type EventStreamCounters, RuntimeEventStream } from "./subscribe/event-stream.ts";
export type { HubCounters } from "./subscribe/hub.ts";
export type { EventLoss } from "./subscribe/loss.ts";
export {
  type RuntimeEventSubscription,
  type RuntimeEventsOptions,
  runtimeEvents,
  STREAM_ITEMS_DEFAULT,
  STREAM_ITEMS_MAX,
  type SubscribeOptions,
  subscriptionCounters,
} from "./subscribe/runtime-events.ts";
export { subscribeRuntimeEvents } from "./subscribe/subscribe.ts";
