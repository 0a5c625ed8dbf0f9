import type { EventFamily } from "./families.ts";

/**
 * The 34 known event kinds (spec 1.4): number on the wire and family. Kinds share one number space, so a kind is known
 * without its category. A number that is not here survives decoding as `{ kind: "unknown", raw }`.
 */
export const EVENT_KINDS = {
  "model-open-started": { raw: 1, family: "runtime_events" },
  "model-open-progress": { raw: 2, family: "runtime_events" },
  "backend-device-selected": { raw: 3, family: "runtime_events" },
  "model-open-finished": { raw: 4, family: "runtime_events" },
  "model-open-failed-handled": { raw: 5, family: "runtime_events" },
  "model-load-phase-changed": { raw: 100, family: "model_load_events_v2" },
  "model-load-memory-allocated": { raw: 101, family: "model_load_events_v2" },
  "model-load-tensors-offloaded": { raw: 102, family: "model_load_events_v2" },
  "model-load-tokenizer-ready": { raw: 103, family: "model_load_events_v2" },
  "model-load-aux-component-ready": { raw: 104, family: "model_load_events_v2" },
  "kv-initialized": { raw: 200, family: "kv_events" },
  "kv-pressure-crossed": { raw: 201, family: "kv_events" },
  "kv-pressure-cleared": { raw: 202, family: "kv_events" },
  "kv-context-approaching-capacity": { raw: 203, family: "kv_events" },
  "kv-context-capacity-exhausted": { raw: 204, family: "kv_events" },
  "device-backend-initialized": { raw: 300, family: "device_events" },
  "device-ready": { raw: 301, family: "device_events" },
  "device-degraded": { raw: 302, family: "device_events" },
  "device-unavailable": { raw: 303, family: "device_events" },
  "device-recovered": { raw: 304, family: "device_events" },
  "device-lost": { raw: 305, family: "device_events" },
  "device-resource-allocated": { raw: 306, family: "device_events" },
  "device-out-of-memory": { raw: 307, family: "device_events" },
  "device-fallback-activated": { raw: 308, family: "device_events" },
  "diagnostic-warning-raised": { raw: 400, family: "diagnostic_events" },
  "diagnostic-warning-cleared": { raw: 401, family: "diagnostic_events" },
  "diagnostic-recoverable-failure": { raw: 402, family: "diagnostic_events" },
  "diagnostic-fatal-failure": { raw: 403, family: "diagnostic_events" },
  "diagnostic-invariant-violation": { raw: 404, family: "diagnostic_events" },
  "unload-started": { raw: 500, family: "unload_events" },
  "unload-completed": { raw: 501, family: "unload_events" },
  "unload-failed": { raw: 502, family: "unload_events" },
  "unload-forced": { raw: 503, family: "unload_events" },
  "unload-session-draining": { raw: 504, family: "unload_events" },
} as const satisfies Readonly<Record<string, { raw: number; family: EventFamily }>>;

/** Name of a known event kind. */
export type EventKind = keyof typeof EVENT_KINDS;

/** The family a kind belongs to, as a type. */
export type EventFamilyOf<Kind extends EventKind> = (typeof EVENT_KINDS)[Kind]["family"];
