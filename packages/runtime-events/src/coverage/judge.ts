import type { CapabilityReport } from "@mesh/ffi/runtime";
import { REPORTER_FAMILIES, type ReporterFamily } from "../wire/families.ts";
import type { FamilyCounts } from "./family-tally.ts";

/**
 * Families that a load, a session and an unload must have shown when the runtime confirms them. The other two may rightly stay
 * silent: nothing has to go wrong, and nothing has to fill a cache (spec 6).
 */
export const REQUIRED_FAMILIES = [
  "model_load_events_v2",
  "device_events",
  "unload_events",
] as const satisfies readonly ReporterFamily[];

/**
 * What is known of one family. `confirmed` is the capability probe's word, that it is available; `covered` is that it was seen.
 * The two are different things: a confirmed family may never send anything.
 */
export interface FamilyVerdict {
  readonly family: ReporterFamily;
  readonly confirmed: boolean;
  readonly count: number;
  readonly state: "observed" | "not-observed" | "not-confirmed";
}

/** The verdict on all families. */
export interface FamilyCoverage {
  /** One verdict a family, in the order in which evidence lists them. */
  readonly families: readonly FamilyVerdict[];
  /** Confirmed and required families that were never seen: a gated run with one of these has not passed. */
  readonly missing: readonly ReporterFamily[];
}

/** Lays what was confirmed beside what was seen. Pure: it reports, and its caller decides when to fail. */
export function judgeFamilyCoverage(
  { confirmedFamilies }: Pick<CapabilityReport, "confirmedFamilies">,
  counts: FamilyCounts,
): FamilyCoverage {
  const families = REPORTER_FAMILIES.map((family): FamilyVerdict => {
    const confirmed = confirmedFamilies.includes(family);
    const count = counts[family];
    const state = count > 0 ? "observed" : "not-observed";
    return { family, confirmed, count, state: confirmed ? state : "not-confirmed" };
  });
  const required = new Set<ReporterFamily>(REQUIRED_FAMILIES);
  const missing = families.filter(({ family, state }) => required.has(family) && state === "not-observed");
  return { families, missing: missing.map(({ family }) => family) };
}
