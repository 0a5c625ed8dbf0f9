import type { RuntimeEvent } from "../event.ts";

/** A kind, and how often it came in a row. */
export interface KindRun {
  /** The kind's name, or its number where it is unknown. */
  readonly kind: string;
  readonly count: number;
}

/** The kinds of some events, run-length encoded in the order of their delivery: what evidence and a person want to read. */
export function kindRuns(events: Iterable<RuntimeEvent>): KindRun[] {
  const runs: KindRun[] = [];
  for (const event of events) {
    const kind = event.kind === "unknown" ? String(event.raw) : event.kind;
    const last = runs.at(-1);
    if (last?.kind === kind) runs[runs.length - 1] = { kind, count: last.count + 1 };
    else runs.push({ kind, count: 1 });
  }
  return runs;
}
