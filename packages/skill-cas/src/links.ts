import { sameFile } from "./address.ts";
import { type Conflict, conflict, withStatus } from "./reason.ts";
import type { Entry } from "./stage.ts";

/** An entry that is in the way, and why. */
export interface EntryConflict {
  readonly entry: Entry;
  readonly conflict: Conflict;
}

/** Every link of an entry must be one of the names we know; an unknown one is somebody else's, who may write through it. */
export function unaccountedLinks(entries: readonly Entry[]): readonly EntryConflict[] {
  return entries.flatMap((entry) => {
    const known = entries.filter((other) => sameFile(other.status, entry.status)).length;
    const { linkCount } = entry.status;
    return linkCount === known
      ? []
      : [{ entry, conflict: withStatus(conflict("unexpected-links", entry.name, linkCount, known), entry.status) }];
  });
}
