import type { FileStatus } from "@mesh/ffi/fs";
import { type Address, sameFile } from "./address.ts";
import { perform, type Steps } from "./effects.ts";
import { errnoOf } from "./error.ts";
import { inspect } from "./inspect.ts";
import { type Conflict, conflict } from "./reason.ts";
import { type Entry, removeQuietly, unlinkEntry } from "./stage.ts";

/** What an algorithm leaves behind for one content. `exact` is durable: it survives a power cut from here on. */
export type Outcome =
  | { readonly state: "exact"; readonly status: FileStatus; readonly bytes: Uint8Array }
  | { readonly state: "absent" }
  | { readonly state: "conflict"; readonly reason: Conflict };

/**
 * Publishes a stage whose bytes are on the disk, then removes it and every other name it is told to. The directory is
 * synced before a name is removed: until then the stage may be the only name that a power cut leaves.
 *
 * @param others - whole stages of the same content, of which this one is a copy; empty where it is the only one
 */
export function* seal(address: Address, stage: Entry, others: readonly Entry[]): Steps<Outcome | "name-taken"> {
  try {
    yield* perform({ kind: "link", source: stage.name, target: address.digest });
  } catch (error) {
    if (errnoOf(error) === "EEXIST") {
      return "name-taken";
    }
    if (others.length > 0) {
      // The others hold the same bytes, so a failure that stays does not leave one more copy each time.
      yield* removeQuietly(stage);
    }
    throw error;
  }
  yield* perform({ kind: "syncDirectory" });
  // The stage goes last: as long as the object has two links, whoever looks at it knows that it is not finished.
  for (const entry of [...others, stage]) {
    yield* unlinkEntry(entry);
  }
  const object = yield* inspect(address, address.digest, { linksMax: 1, sync: false });
  return object.state === "exact" && !sameFile(object.status, stage.status)
    ? {
        state: "conflict",
        reason: conflict("changed-while-read", address.digest, "another file", "the file we linked"),
      }
    : yield* checkRoot(address, object);
}

/** A finding is worth nothing when the path no longer leads to the directory that was looked at. */
export function* checkRoot(address: Address, outcome: Outcome): Steps<Outcome> {
  const root = yield* perform({ kind: "statRoot" });
  if (root !== undefined && sameFile(root, address.store.root)) {
    return outcome;
  }
  const found = root === undefined ? "nothing" : `inode ${root.inode} on device ${root.device}`;
  const expected = `inode ${address.store.root.inode} on device ${address.store.root.device}`;
  return { state: "conflict", reason: conflict("root-changed", "root", found, expected) };
}
