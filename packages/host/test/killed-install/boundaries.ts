/** Every durable boundary between a grant and its settlement, and the steps of the driver, in order. */
export const BOUNDARIES = [
  "claim:before",
  "claim:after",
  "connect",
  "apply:before",
  "apply:after",
  "reconcile:after",
  "outcome:before",
  "outcome:after",
  "settlement:before",
  "settlement:after",
] as const;

/** One of them. */
export type Boundary = (typeof BOUNDARIES)[number];
