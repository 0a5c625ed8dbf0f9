import type { RunFacts } from "./facts.ts";
import type { Marker } from "./line.ts";

/** Every step of the run passed. */
export interface Executed {
  readonly state: "executed";
  readonly facts: RunFacts;
  readonly steps: readonly Marker[];
}

/** A step failed; `steps` is what the steps before it established. */
export interface Failed {
  readonly state: "failed";
  readonly reason: string;
  readonly facts: RunFacts;
  readonly steps: readonly Marker[];
}

/** The run was asked for and could not start. */
export interface Blocked {
  readonly state: "blocked";
  readonly reason: string;
}

/** The run was not asked for, so nothing was tried. */
export interface BlockedWhenUngated {
  readonly state: "blocked-when-ungated";
  readonly reason: string;
}

/** The run started and has not ended: it is still going on, or it was killed. */
export interface Running {
  readonly state: "running";
  readonly facts: RunFacts;
}

/** There is no file. */
export interface Absent {
  readonly state: "absent";
}

/** There is something, and it is not evidence: never a success and never "fewer steps". */
export interface Unreadable {
  readonly state: "unreadable";
  readonly reason: string;
}

/** What an evidence file says. */
export type EvidenceState = Executed | Failed | Blocked | BlockedWhenUngated | Running | Absent | Unreadable;
