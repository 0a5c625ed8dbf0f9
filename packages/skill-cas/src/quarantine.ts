import type { FileStatus } from "@mesh/ffi/fs";
import type { Address, StoreIdentity } from "./address.ts";
import { type Handle, perform, type Steps } from "./effects.ts";
import { errnoOf, type Facts, SkillCasError } from "./error.ts";
import { withHandle } from "./handle.ts";
import { inspect } from "./inspect.ts";
import { LINKS_MAX, parseEntryName, QUARANTINE_NAME, ROOT_MODE, STAGES_MAX, stagePrefix } from "./layout.ts";
import { withContentLock } from "./lock.ts";
import type { Conflict } from "./reason.ts";
import { type Entry, unlinkEntry, writeFile } from "./stage.ts";

/** What is kept beside an entry in quarantine. */
export interface QuarantineRecord {
  readonly schema: "mesh.quarantine-record-v1";
  readonly digest: string;
  /** User id of who moved it. */
  readonly owner: number;
  /** UTC time, to the millisecond. */
  readonly quarantinedAt: string;
  /** Why, in the operator's words. */
  readonly reason: string;
  /** What was found, entry by entry: its old name, its name in the quarantine folder, and the conflict. */
  readonly entries: readonly {
    readonly name: string;
    readonly movedTo: string;
    readonly code: string;
    readonly facts: Facts;
  }[];
}

interface Found {
  readonly entry: Entry;
  readonly conflict: Conflict;
}

/**
 * Moves what is in conflict with one content into a private folder in the root, beside a record of it. The record is on
 * the disk before anything moves, and an entry has its new name durably before it loses the old one: a crash at any point
 * leaves it findable in one of the two places, and asking again goes on from there.
 *
 * This is the only way in which a conflict is ever cleared. What is exact is never moved.
 *
 * @throws SkillCasError NOTHING_TO_QUARANTINE; EFFECT_FAILED with EPERM for a directory, which cannot be linked
 */
export function* quarantineContent(store: StoreIdentity, digest: string, reason: string): Steps<QuarantineRecord> {
  const address: Address = { store, digest };
  return yield* withContentLock(address, "wait", function* () {
    const found = yield* findConflicts(address);
    if (found.length === 0) {
      throw new SkillCasError({
        code: "NOTHING_TO_QUARANTINE",
        message: `${digest}: found no conflict at its names; expected one. Nothing was touched`,
        facts: { digest },
      });
    }
    const folder = yield* openQuarantine(store);
    return yield* withHandle(folder, () => moveAll(store, folder, digest, reason, found));
  });
}

function* moveAll(
  store: StoreIdentity,
  folder: Handle,
  digest: string,
  reason: string,
  found: readonly Found[],
): Steps<QuarantineRecord> {
  // The time keeps several quarantines of one content apart; the name is taken exclusively all the same.
  const quarantinedAt = new Date().toISOString();
  const stem = `${digest}-${quarantinedAt.replaceAll(/[:.]/g, "")}`;
  const entries = found.map(({ entry, conflict }, index) => ({
    name: entry.name,
    movedTo: `${stem}-${index}`,
    code: conflict.code,
    facts: conflict.facts,
  }));
  const record: QuarantineRecord = {
    schema: "mesh.quarantine-record-v1",
    digest,
    owner: store.owner,
    quarantinedAt,
    reason,
    entries,
  };
  const text = new TextEncoder().encode(`${JSON.stringify(record, null, 2)}\n`);
  yield* writeFile(store, `${stem}.json`, text, folder);
  yield* perform({ kind: "syncDirectory", directory: folder });
  for (const [index, { entry }] of found.entries()) {
    yield* perform({ kind: "link", source: entry.name, target: `${stem}-${index}`, directory: folder });
  }
  yield* perform({ kind: "syncDirectory", directory: folder });
  for (const { entry } of found) {
    yield* unlinkEntry(entry);
  }
  yield* perform({ kind: "syncDirectory" });
  return record;
}

/** The object, where it is not exact, and every stage that recovery would neither publish nor remove. */
function* findConflicts(address: Address): Steps<readonly Found[]> {
  const prefix = stagePrefix(address.digest);
  const names = yield* perform({ kind: "list", prefix, limit: STAGES_MAX + 1 });
  const stages = names.filter((name) => parseEntryName(name).kind === "stage");
  const found: Found[] = [];
  for (const name of [address.digest, ...stages]) {
    const seen = yield* inspect(address, name, { linksMax: name === address.digest ? 1 : LINKS_MAX, sync: false });
    const unfinished = seen.state === "conflict" && seen.reason.code === "unexpected-links" && stages.length > 0;
    if (
      seen.state === "conflict" &&
      seen.status !== undefined &&
      !unfinished &&
      (name === address.digest || !seen.removable)
    ) {
      found.push({ entry: { name, status: seen.status }, conflict: seen.reason });
    }
  }
  return found;
}

function* openQuarantine(store: StoreIdentity): Steps<Handle> {
  try {
    yield* perform({ kind: "makeDirectory", name: QUARANTINE_NAME });
    yield* perform({ kind: "syncDirectory" });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") {
      throw error;
    }
  }
  const folder = yield* perform({ kind: "openDirectory", name: QUARANTINE_NAME });
  const status = yield* perform({ kind: "statHandle", handle: folder });
  if (status.owner !== store.owner || status.mode !== ROOT_MODE) {
    yield* perform({ kind: "close", handle: folder });
    throw unsafeFolder(status);
  }
  return folder;
}

function unsafeFolder(status: FileStatus): SkillCasError {
  const found = `owner ${status.owner}, mode ${status.mode.toString(8)}`;
  return new SkillCasError({
    code: "ROOT_UNSAFE",
    message: `${QUARANTINE_NAME}: found ${found}; expected our own directory with mode 0700. To repair: chmod 700`,
    facts: { path: QUARANTINE_NAME, found },
  });
}
