import type { CapabilityFamilyName } from "@mesh/ffi/runtime";

/**
 * The families that the process-wide reporter delivers, in the order in which evidence lists them (spec 6). Their names are
 * those of the capability probe, so that "confirmed" and "observed" can be laid side by side.
 */
export const REPORTER_FAMILIES = [
  "model_load_events_v2",
  "kv_events",
  "device_events",
  "diagnostic_events",
  "unload_events",
] as const satisfies readonly CapabilityFamilyName[];

/** Name of a family that the process-wide reporter delivers. */
export type ReporterFamily = (typeof REPORTER_FAMILIES)[number];

/** Name of an event family: the per-call stream of a model open, or one of the reporter's. */
export type EventFamily = "runtime_events" | ReporterFamily;
