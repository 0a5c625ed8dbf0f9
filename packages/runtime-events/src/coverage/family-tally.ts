import type { RuntimeEvent } from "../event.ts";
import { REPORTER_FAMILIES, type ReporterFamily } from "../wire/families.ts";

/** How many events of each of the reporter's families were seen. */
export type FamilyCounts = Readonly<Record<ReporterFamily, number>>;

/** Counts events by family. Kinds 1 to 5 belong to a single open and unknown kinds to no family: neither is counted (spec 6). */
export interface FamilyTally {
  /** Counts one event; anything that is not an event of a reporter's family, a loss included, changes nothing. */
  add(item: RuntimeEvent | { readonly kind: "lost" }): void;
  /** The counts so far. */
  counts(): FamilyCounts;
  /** The sum over all families: the "structured" events that a run has shown. */
  total(): number;
}

const isReporterFamily = (family: string): family is ReporterFamily =>
  REPORTER_FAMILIES.some((known) => known === family);

/** Makes an empty tally. */
export function familyTally(): FamilyTally {
  const counts: Record<ReporterFamily, number> = {
    model_load_events_v2: 0,
    kv_events: 0,
    device_events: 0,
    diagnostic_events: 0,
    unload_events: 0,
  };
  return {
    add(item) {
      if (item.kind === "unknown" || item.kind === "lost") return;
      if (isReporterFamily(item.family)) counts[item.family] += 1;
    },
    counts: () => ({ ...counts }),
    total: () => REPORTER_FAMILIES.reduce((sum, family) => sum + counts[family], 0),
  };
}
