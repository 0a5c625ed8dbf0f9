/**
 * The tests that prove the fallback for a runtime without model-open events. A gated run cannot: the runtime it loads has
 * them. The evidence names these tests, and a test checks that they exist.
 */
export const FALLBACK_TESTS = [
  "a queue that the runtime has no events for stays empty, and the plain open is taken",
  "an observed open of a runtime without the feature falls back, with no event and no contradiction",
] as const;
