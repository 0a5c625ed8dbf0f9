import type { EventKind } from "../wire/kinds.ts";

/** How much a host event matters. */
export type Severity = "info" | "warning" | "error" | "fatal";

/** One row of the mapping from a native kind to what a host may show. */
export interface HostEventRow {
  /** Public name of the fact, stable across runtimes. */
  readonly id: string;
  readonly severity: Severity;
  /** A sentence for people, without anything that came from the runtime. */
  readonly message: string;
  /** Set where the event ends something: its own operation, not the process. */
  readonly terminal?: "success" | "failure";
}

/**
 * The mapping of spec 5.2 and 5.3. Severities follow 5.3 throughout, so a handled open failure is an error. A model open's end is
 * no terminal fact: only its return value says whether there is a model.
 */
export const HOST_EVENT_TABLE = {
  "model-open-started": {
    id: "model_open_started",
    severity: "info",
    message: "The native runtime has started to open a model.",
  },
  "model-open-progress": { id: "model_open_progress", severity: "info", message: "The native model is being opened." },
  "backend-device-selected": {
    id: "backend_device_selected",
    severity: "info",
    message: "The native runtime has selected a device.",
  },
  "model-open-finished": {
    id: "model_open_finished",
    severity: "info",
    message: "The native runtime has finished opening the model.",
  },
  "model-open-failed-handled": {
    id: "model_open_failed_handled",
    severity: "error",
    message: "The native runtime could not open the model.",
  },
  "model-load-phase-changed": {
    id: "model_load_phase_changed",
    severity: "info",
    message: "The model load has entered another phase.",
  },
  "model-load-memory-allocated": {
    id: "model_memory_allocation_summary",
    severity: "info",
    message: "Memory for the model was allocated.",
  },
  "model-load-tensors-offloaded": {
    id: "model_load_phase_changed",
    severity: "info",
    message: "Tensors of the model were moved to a device.",
  },
  "model-load-tokenizer-ready": {
    id: "model_load_phase_changed",
    severity: "info",
    message: "The tokenizer of the model is ready.",
  },
  "model-load-aux-component-ready": {
    id: "model_load_phase_changed",
    severity: "info",
    message: "A further component of the model is ready.",
  },
  "kv-initialized": {
    id: "kv_cache_initialization_completed",
    severity: "info",
    message: "The cache of a session is ready.",
  },
  "kv-pressure-crossed": {
    id: "cache_pressure_crossed",
    severity: "info",
    message: "The cache of a session is under pressure.",
  },
  "kv-pressure-cleared": {
    id: "cache_pressure_cleared",
    severity: "info",
    message: "The cache of a session is no longer under pressure.",
  },
  "kv-context-approaching-capacity": {
    id: "context_capacity_approaching_limit",
    severity: "info",
    message: "The context of a session is nearly full.",
  },
  "kv-context-capacity-exhausted": {
    id: "context_exhausted",
    severity: "error",
    message: "The context of a session is full.",
    terminal: "failure",
  },
  "device-backend-initialized": {
    id: "backend_initialization_completed",
    severity: "info",
    message: "A backend is ready.",
  },
  "device-ready": { id: "device_ready", severity: "info", message: "A device is ready." },
  "device-degraded": { id: "device_degraded", severity: "error", message: "A device works with restrictions." },
  "device-unavailable": { id: "device_unavailable", severity: "error", message: "A device cannot be used." },
  "device-recovered": { id: "device_recovered", severity: "info", message: "A device works again." },
  "device-lost": { id: "device_lost", severity: "error", message: "A device was lost." },
  "device-resource-allocated": {
    id: "resource_allocation_completed",
    severity: "info",
    message: "A resource of a device was allocated.",
  },
  "device-out-of-memory": {
    id: "out_of_memory_condition",
    severity: "error",
    message: "A device is out of memory.",
    terminal: "failure",
  },
  "device-fallback-activated": {
    id: "backend_fallback_activated",
    severity: "warning",
    message: "A fallback is used in place of a device.",
  },
  "diagnostic-warning-raised": {
    id: "warning_raised",
    severity: "warning",
    message: "The native runtime has raised a warning.",
  },
  "diagnostic-warning-cleared": {
    id: "warning_cleared",
    severity: "warning",
    message: "The native runtime has cleared a warning.",
  },
  "diagnostic-recoverable-failure": {
    id: "recoverable_native_failure",
    severity: "error",
    message: "The native runtime reports a failure that it recovers from.",
  },
  "diagnostic-fatal-failure": {
    id: "fatal_native_failure",
    severity: "fatal",
    message: "The native runtime reports a fatal failure.",
    terminal: "failure",
  },
  "diagnostic-invariant-violation": {
    id: "invariant_protocol_violation",
    severity: "fatal",
    message: "The native runtime reports that one of its own rules is broken.",
  },
  "unload-started": { id: "unload_started", severity: "info", message: "A model is being unloaded." },
  "unload-completed": {
    id: "unload_completed",
    severity: "info",
    message: "A model was unloaded.",
    terminal: "success",
  },
  "unload-failed": {
    id: "unload_failed",
    severity: "error",
    message: "A model could not be unloaded.",
    terminal: "failure",
  },
  "unload-forced": { id: "forced_unload", severity: "warning", message: "A model was unloaded by force." },
  "unload-session-draining": {
    id: "session_draining_started",
    severity: "info",
    message: "The sessions of a model are being ended for its unload.",
  },
} as const satisfies Readonly<Record<EventKind, HostEventRow>>;

/** Public name of a host event. */
export type HostEventId = (typeof HOST_EVENT_TABLE)[EventKind]["id"];
