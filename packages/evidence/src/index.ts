export { checkEvidence, type EvidenceCheck, type EvidencePolicy, type Refusal } from "./check.ts";
export { Evidence, type EvidenceRun } from "./evidence.ts";
export { EvidenceError, type EvidenceErrorCode } from "./error.ts";
export type { EvidenceSubject, RunFacts } from "./facts.ts";
export { nativeGate, type GateInputs, type GateOutcome, type GateRequirement, type NativeGate } from "./gate.ts";
export { FILE_BYTES_MAX, LINES_MAX, LINE_BYTES_MAX, NAME_BYTES_MAX } from "./limits.ts";
export type { Marker } from "./line.ts";
export { writeEvidenceMarker } from "./marker.ts";
export { parseEvidence, readEvidence } from "./read.ts";
export { parseRequirement, type Comparison, type EvidenceRequirement } from "./requirement.ts";
export type {
  Absent,
  Blocked,
  BlockedWhenUngated,
  EvidenceState,
  Executed,
  Failed,
  Running,
  Unreadable,
} from "./state.ts";
export { digestSubject } from "./subject.ts";
