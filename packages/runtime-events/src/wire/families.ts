/**
 * Event families and the feature bit that announces each (spec 1.5). The first is the per-call stream of a model open;
 * the others arrive through the process-wide reporter.
 */
export const EVENT_FAMILY_FEATURE_BITS = {
  "runtime-events": 24,
  "model-load-events-v2": 32,
  "kv-events": 33,
  "device-events": 34,
  "diagnostic-events": 35,
  "unload-events": 36,
} as const;

/** Name of an event family. */
export type EventFamily = keyof typeof EVENT_FAMILY_FEATURE_BITS;

/** The families that the process-wide reporter delivers, in the order in which evidence lists them (spec 6). */
export const REPORTER_FAMILIES = [
  "model-load-events-v2",
  "kv-events",
  "device-events",
  "diagnostic-events",
  "unload-events",
] as const satisfies readonly EventFamily[];

/** Name of a family that the process-wide reporter delivers. */
export type ReporterFamily = (typeof REPORTER_FAMILIES)[number];
