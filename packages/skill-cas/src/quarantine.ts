import type { FileStatus } from "@mesh/ffi/fs";
import type { Address, StoreIdentity } from "./address.ts";
import { type Handle, perform, type Steps } from "./effects.ts";
import { errnoOf, type Facts, SkillCasError } from "./error.ts";
import { withHandle } from "./handle.ts";
import { inspect } from "./inspect.ts";
import {
  LINKS_MAX,
  parseEntryName,
  QUARANTINE_LOCK_NAME,
  QUARANTINE_NAME,
  ROOT_MODE,
  STAGES_MAX,
  stagePrefix,
} from "./layout.ts";
import { type EntryConflict, unaccountedLinks } from "./links.ts";
import { findUnsafeLock, withContentLock, withLock } from "./lock.ts";
import { conflict } from "./reason.ts";
import { type Entry, expectSameFile, unlinkEntry, writeFile } from "./stage.ts";

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

/** Who asks for a quarantine, and about what. */
export interface QuarantineRequest {
  readonly digest: string;
  /** Why, in the operator's words. */
  readonly reason: string;
  /** UTC time, to the millisecond. */
  readonly at: string;
  /** Hex digits that keep two quarantines of one content within a millisecond apart. */
  readonly tag: string;
}

/**
 * Moves what is in conflict with one content into a private folder in the root, beside a record of it. The record is on
 * the disk before anything moves: a crash at any point leaves an entry findable in one of the two places, and asking again
 * goes on from there.
 *
 * This is the only way in which a conflict is ever cleared. What is exact is never moved. Where the entry at the name of
 * the content lock is the conflict, it is moved alone: what else is in the way can be judged only under that lock.
 *
 * @throws SkillCasError NOTHING_TO_QUARANTINE; EFFECT_FAILED, for example with EPERM for an immutable entry
 */
export function* quarantineContent(store: StoreIdentity, request: QuarantineRequest): Steps<QuarantineRecord> {
  const { digest } = request;
  if ((yield* findUnsafeLock(store, digest)) !== undefined) {
    return yield* withLock(store, QUARANTINE_LOCK_NAME, "wait", function* () {
      const record = yield* moveAway(store, request, arrayOf(yield* findUnsafeLock(store, digest)));
      yield* perform({ kind: "removeLock", name: QUARANTINE_LOCK_NAME });
      return record;
    });
  }
  const address: Address = { store, digest };
  return yield* withContentLock(address, "wait", function* () {
    return yield* moveAway(store, request, yield* findConflicts(address));
  });
}

function* moveAway(
  store: StoreIdentity,
  request: QuarantineRequest,
  found: readonly EntryConflict[],
): Steps<QuarantineRecord> {
  const { digest } = request;
  if (found.length === 0) {
    throw new SkillCasError({
      code: "NOTHING_TO_QUARANTINE",
      message: `${digest}: found no conflict at its names; expected one. Nothing was touched`,
      facts: { digest },
    });
  }
  const folder = yield* openQuarantine(store);
  return yield* withHandle(folder, () => moveInto(store, folder, request, found));
}

function* moveInto(
  store: StoreIdentity,
  folder: Handle,
  { digest, reason, at, tag }: QuarantineRequest,
  found: readonly EntryConflict[],
): Steps<QuarantineRecord> {
  const stem = `${digest}-${at.replaceAll(/[:.]/g, "")}-${tag}`;
  const moves = found.map((one, index) => ({ ...one, movedTo: `${stem}-${index}` }));
  const record: QuarantineRecord = {
    schema: "mesh.quarantine-record-v1",
    digest,
    owner: store.owner,
    quarantinedAt: at,
    reason,
    entries: moves.map(({ entry, conflict, movedTo }) => ({ name: entry.name, movedTo, ...conflict })),
  };
  const text = new TextEncoder().encode(`${JSON.stringify(record, null, 2)}\n`);
  yield* writeFile(store, `${stem}.json`, text, folder);
  yield* perform({ kind: "syncDirectory", directory: folder });
  for (const { entry, movedTo } of moves) {
    yield* moveEntry(entry, folder, movedTo);
  }
  yield* perform({ kind: "syncDirectory", directory: folder });
  yield* perform({ kind: "syncDirectory" });
  return record;
}

/** Errors by which file systems say that they cannot rename without replacing. */
const NO_EXCLUSIVE_RENAME: readonly string[] = ["EINVAL", "ENOSYS", "EOPNOTSUPP"];

/**
 * Moves an entry itself, in one step: a directory cannot have a second link, and the kernel may refuse one to a file of
 * another user. Where the file system has no such step, an entry has its new name durably before it loses the old one.
 */
function* moveEntry(entry: Entry, folder: Handle, target: string): Steps<void> {
  yield* expectSameFile(entry);
  try {
    yield* perform({ kind: "rename", name: entry.name, target, directory: folder });
  } catch (error) {
    if (!NO_EXCLUSIVE_RENAME.includes(errnoOf(error) ?? "")) {
      throw error;
    }
    yield* perform({ kind: "link", source: entry.name, target, directory: folder });
    yield* perform({ kind: "syncDirectory", directory: folder });
    yield* unlinkEntry(entry);
  }
}

/** The object, where it is not exact, and every stage that recovery would neither publish nor remove. */
function* findConflicts(address: Address): Steps<readonly EntryConflict[]> {
  const prefix = stagePrefix(address.digest);
  const names = yield* perform({ kind: "list", prefix, limit: STAGES_MAX + 1 });
  const stages = names.filter((name) => parseEntryName(name).kind === "stage").sort();
  const tooMany = names.length > STAGES_MAX;
  const found: EntryConflict[] = [];
  const exact: Entry[] = [];
  for (const name of [address.digest, ...stages]) {
    const seen = yield* inspect(address, name, { linksMax: LINKS_MAX, sync: false });
    if (seen.state === "absent" || seen.status === undefined) {
      continue;
    }
    const entry = { name, status: seen.status };
    const isObject = name === address.digest;
    if (seen.state === "conflict" && (isObject || !seen.removable)) {
      found.push({ entry, conflict: seen.reason });
    } else if (tooMany && !isObject) {
      found.push({ entry, conflict: conflict("too-many-stages", name, names.length, STAGES_MAX) });
    } else if (seen.state === "exact") {
      exact.push(entry);
    }
  }
  return [...found, ...(tooMany ? [] : unaccountedLinks(exact))];
}

function arrayOf<T>(item: T | undefined): readonly T[] {
  return item === undefined ? [] : [item];
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
