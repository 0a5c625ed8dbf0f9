/** Every place where a process that installs may die, in the order in which an install comes to them. */
export const BOUNDARIES = [
  "plan:before",
  "plan:after",
  "decision:before",
  "decision:after",
  "claim:before",
  "claim:after",
  "connect",
  "apply:before",
  "apply:after",
  "reconcile",
  "release",
  "outcome:before",
  "outcome:after",
  "settlement:before",
  "settlement:after",
] as const;

/** One of them. */
export type Boundary = (typeof BOUNDARIES)[number];
