export { FEATURE_BITS, KNOWN_FEATURE_BIT_MAX } from "../abi/features.ts";
export {
  EVENT_DETAIL_BYTES_MAX,
  RECORD_BYTES,
  RECORD_DETAIL_BYTES_MAX,
  RECORD_LAYOUT,
  SAMPLING_LOGIT_BIAS_MAX,
} from "../abi/layout.ts";
export { type StatusName, statusName } from "../abi/status.ts";
export { type AbiVersion, formatAbiVersion, REQUIRED_ABI_VERSION } from "../abi/version.ts";
export { FfiError, type FfiErrorCode } from "../error.ts";
export { type AdmissionDifference, RUNTIME_LIBRARIES_MAX } from "./admission.ts";
export { CancelledError, type NativeWork } from "./cancelled-error.ts";
export {
  CAPABILITY_FAMILIES,
  type CapabilityFamily,
  type CapabilityFamilyName,
  type CapabilityReport,
  probeCapabilities,
} from "./capability.ts";
export { defaultThreads, type RuntimeConfig, type TriState } from "./config.ts";
export { droppedCount, type RingCounters, rejectedCount } from "./counters.ts";
export type { BackendDevice, DeviceKind } from "./device.ts";
export type { RuntimeErrorCode } from "./error-code.ts";
export { GENERATED_TOKENS_DEFAULT, GENERATED_TOKENS_MAX, type GenerateOptions } from "./generate.ts";
export type { Model, TokenizeOptions } from "./model.ts";
export { MODEL_PARTS_MAX, type ModelOpenOptions } from "./model-open.ts";
export { type OpenRuntimeOptions, openRuntime } from "./open-runtime.ts";
export {
  type ChildProbe,
  PROBE_ANSWER_BYTES_MAX,
  PROBE_MS_DEFAULT,
  PROBE_MS_MAX,
  type ProbeInChildOptions,
  probeInChild,
} from "./probe-in-child.ts";
export {
  MODEL_OPEN_RECORDS_DEFAULT,
  MODEL_OPEN_RECORDS_MAX,
  type ModelOpenQueue,
  type ModelOpenQueueOptions,
} from "./queue.ts";
export { REPORTER_RECORDS_MAX, type ReporterOptions, type RuntimeReporter } from "./reporter.ts";
export type { Runtime } from "./runtime.ts";
export type { Sampling } from "./sampling.ts";
export type { CallOptions, DecodedStep, Session } from "./session.ts";
export { CANCEL_RETRY_MS, CANCEL_WAIT_MS_MAX, type CancelSupport } from "./settle.ts";
