import { type Address, type FileIdentity, sameFile } from "./address.ts";
import { perform, type Steps } from "./effects.ts";
import { type Inspection, inspect } from "./inspect.ts";
import { LINKS_MAX, parseEntryName, recoveryActionDigest, STAGES_MAX, stageName, stagePrefix } from "./layout.ts";
import { unaccountedLinks } from "./links.ts";
import { type Conflict, conflict } from "./reason.ts";
import { checkRoot, type Outcome, seal } from "./seal.ts";
import { type Entry, removeQuietly, unlinkEntry, writeCopy } from "./stage.ts";

/** A stage and what it turned out to be. Of the whole ones, only the chosen one keeps its bytes in memory. */
type JudgedStage =
  | { readonly state: "whole"; readonly entry: Entry }
  | { readonly state: "broken"; readonly entry: Entry };

interface Stages {
  readonly all: readonly JudgedStage[];
  /** The first whole stage in name order, with its bytes. Any action's is good: the bytes are authenticated. */
  readonly chosen: { readonly entry: Entry; readonly bytes: Uint8Array } | undefined;
}

/**
 * Finishes what crashes left of one content (spec 9.8). The content lock is held by the caller.
 *
 * A whole stage is never adopted as it is: nobody can know whether the sync of its inode failed, and a second sync of the
 * same inode would lie (design D7). Its authenticated bytes are copied into a new inode, which is published instead; the
 * stage goes only when the copy is durable. What is broken and nobody's loss is removed. Everything else is a conflict
 * and stays untouched.
 */
export function* recover(address: Address): Steps<Outcome> {
  const first = yield* recoverOnce(address);
  if (first !== "name-taken") {
    return first;
  }
  // Somebody without the lock published between our look and our link. Judge once more, then no further.
  const second = yield* recoverOnce(address);
  return second === "name-taken"
    ? { state: "conflict", reason: conflict("publication-collided", address.digest, "taken twice", "free or exact") }
    : second;
}

function* recoverOnce(address: Address): Steps<Outcome | "name-taken"> {
  const stages = yield* judgeStages(address);
  if ("code" in stages) {
    return { state: "conflict", reason: stages };
  }
  const object = yield* inspect(address, address.digest, { linksMax: LINKS_MAX, sync: true });
  if (object.state === "conflict") {
    return { state: "conflict", reason: object.reason };
  }
  const unaccounted = findUnaccountedLink(address, object, stages.all);
  if (unaccounted !== undefined) {
    return { state: "conflict", reason: unaccounted };
  }
  return object.state === "exact"
    ? yield* finishPublished(address, object.status, stages.all)
    : yield* finishUnpublished(address, stages);
}

/**
 * The object is there: make its name durable, then remove every stage.
 *
 * An earlier sync of the directory may have failed and forgotten the name, and syncing again would lie. So there is a new
 * directory operation first, one that takes nothing away, and one sync for both. Only then the stages go: until that
 * sync, one of them may be the only name that a power cut leaves.
 */
function* finishPublished(address: Address, object: FileIdentity, stages: readonly JudgedStage[]): Steps<Outcome> {
  const entries = stages.map((stage) => stage.entry);
  const [spare] = entries;
  if (spare !== undefined && entries.length >= STAGES_MAX) {
    yield* unlinkEntry(spare);
    entries.shift();
    yield* perform({ kind: "syncDirectory" });
  } else if (spare !== undefined) {
    const name = freeName(address, entries);
    yield* perform({ kind: "link", source: address.digest, target: name });
    const status = yield* perform({ kind: "stat", name });
    const aliases = status === undefined ? [] : [{ name, status }];
    yield* syncOrRemove(aliases);
    entries.push(...aliases);
  } else {
    yield* perform({ kind: "syncDirectory" });
  }
  // Its aliases go last: as long as the object has two links, whoever looks at it knows that it is not finished.
  const isAlias = (entry: Entry): boolean => sameFile(entry.status, object);
  for (const entry of [...entries.filter((entry) => !isAlias(entry)), ...entries.filter(isAlias)]) {
    yield* unlinkEntry(entry);
  }
  return yield* checkRoot(address, yield* inspect(address, address.digest, { linksMax: 1, sync: false }));
}

/** Syncs the directory. Where that fails, the alias made for it goes: a failure that stays would leave one each time. */
function* syncOrRemove(aliases: readonly Entry[]): Steps<void> {
  try {
    yield* perform({ kind: "syncDirectory" });
  } catch (error) {
    for (const alias of aliases) {
      yield* removeQuietly(alias);
    }
    throw error;
  }
}

/** The object is not there: publish a copy of a whole stage, or prove that there is none. */
function* finishUnpublished(address: Address, stages: Stages): Steps<Outcome | "name-taken"> {
  for (const stage of stages.all) {
    if (stage.state === "broken") {
      yield* unlinkEntry(stage.entry);
    }
  }
  if (stages.chosen === undefined) {
    const object = yield* perform({ kind: "stat", name: address.digest });
    return object === undefined ? yield* checkRoot(address, { state: "absent" }) : "name-taken";
  }
  const whole = stages.all.filter((stage) => stage.state === "whole").map((stage) => stage.entry);
  const spare = whole.at(-1);
  if (spare !== undefined && whole.length >= STAGES_MAX) {
    // One more stage than allowed would block this content after a crash. The last one is never the chosen one.
    yield* unlinkEntry(spare);
    whole.pop();
  }
  const copy = yield* writeCopy(address.store, freeName(address, whole), stages.chosen.bytes);
  return yield* seal(address, copy, whole);
}

/** The first recovery name that no known stage has: what is copied stays until its copy is durable. */
function freeName(address: Address, entries: readonly Entry[]): string {
  const taken = new Set(entries.map((entry) => entry.name));
  let index = 0;
  while (taken.has(stageName(address.digest, recoveryActionDigest(index)))) {
    index += 1;
  }
  return stageName(address.digest, recoveryActionDigest(index));
}

function* judgeStages(address: Address): Steps<Stages | Conflict> {
  const prefix = stagePrefix(address.digest);
  const names = yield* perform({ kind: "list", prefix, limit: STAGES_MAX + 1 });
  const stageNames = names.filter((name) => parseEntryName(name).kind === "stage").sort();
  if (names.length > STAGES_MAX) {
    return conflict("too-many-stages", `${prefix}*.pending`, names.length, STAGES_MAX);
  }
  const all: JudgedStage[] = [];
  let chosen: Stages["chosen"];
  for (const name of stageNames) {
    const stage = yield* inspect(address, name, { linksMax: LINKS_MAX, sync: false });
    if (stage.state === "exact") {
      const entry = { name, status: stage.status };
      all.push({ state: "whole", entry });
      chosen ??= { entry, bytes: stage.bytes };
    } else if (stage.state === "conflict") {
      if (!stage.removable || stage.status === undefined) {
        return stage.reason;
      }
      all.push({ state: "broken", entry: { name, status: stage.status } });
    }
  }
  return { all, chosen };
}

/** The first link that is somebody else's, of the object and of every stage. */
function findUnaccountedLink(
  address: Address,
  object: Extract<Inspection, { state: "exact" | "absent" }>,
  stages: readonly JudgedStage[],
): Conflict | undefined {
  const entries: Entry[] = stages.map((stage) => stage.entry);
  if (object.state === "exact") {
    entries.push({ name: address.digest, status: object.status });
  }
  return unaccountedLinks(entries)[0]?.conflict;
}
