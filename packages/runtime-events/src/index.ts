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
