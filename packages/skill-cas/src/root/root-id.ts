import { randomBytes } from "node:crypto";
import type { StoreIdentity } from "../address.ts";
import { perform, type Steps } from "../effects.ts";
import { SkillCasError } from "../error.ts";
import { withHandle } from "../handle.ts";
import { withLock } from "../lock.ts";
import { unlinkEntry, writeStage } from "../stage.ts";

/** Name of the file with the root's random id: tells a renumbered device from another place (issue 5, Binding). */
export const ROOT_ID_NAME = ".mesh-root-id";
const STAGE_NAME = ".mesh-root-id.pending";
const LOCK_NAME = ".mesh-root-id.lock";
const ID_BYTES = 32;
const TEXT_BYTES = ID_BYTES * 2 + 1;

/**
 * The random id of a root, made once, exclusively and durably, in the same way as an object is.
 *
 * @throws SkillCasError ROOT_ID_INVALID when something else stands at its name.
 */
export function* rootId(store: StoreIdentity): Steps<string> {
  const existing = yield* readRootId(store);
  const stage = yield* perform({ kind: "stat", name: STAGE_NAME });
  if (existing !== undefined && stage === undefined) {
    return existing;
  }
  // While the stage is there, the name of the id may not be durable yet: whoever kept the id would lose its root.
  return yield* withLock(store, LOCK_NAME, "wait", function* () {
    const id = yield* finishRootId(store);
    yield* perform({ kind: "removeLock", name: LOCK_NAME });
    return id;
  });
}

function* finishRootId(store: StoreIdentity): Steps<string> {
  const made = yield* readRootId(store);
  const leftover = yield* perform({ kind: "stat", name: STAGE_NAME });
  if (leftover !== undefined) {
    if (leftover.kind !== "regular" || leftover.owner !== store.owner) {
      throw invalid(STAGE_NAME, `${leftover.kind}, owner ${leftover.owner}`);
    }
    yield* perform({ kind: "syncDirectory" });
    yield* unlinkEntry({ name: STAGE_NAME, status: leftover });
  }
  if (made !== undefined) {
    return made;
  }
  const id = randomBytes(ID_BYTES).toString("hex");
  const stage = yield* writeStage(store, STAGE_NAME, new TextEncoder().encode(`${id}\n`));
  yield* perform({ kind: "link", source: STAGE_NAME, target: ROOT_ID_NAME });
  yield* perform({ kind: "syncDirectory" });
  yield* unlinkEntry(stage);
  return id;
}

function* readRootId(store: StoreIdentity): Steps<string | undefined> {
  const status = yield* perform({ kind: "stat", name: ROOT_ID_NAME });
  if (status === undefined) {
    return undefined;
  }
  // A crash between link and unlink leaves a second name; the id is whole all the same.
  if (status.kind !== "regular" || status.owner !== store.owner || status.size !== TEXT_BYTES) {
    throw invalid(ROOT_ID_NAME, `${status.kind}, owner ${status.owner}, ${status.size} bytes`);
  }
  const handle = yield* perform({ kind: "open", name: ROOT_ID_NAME });
  const bytes = yield* withHandle(handle, () => perform({ kind: "read", handle, bytes: TEXT_BYTES + 1, position: 0 }));
  const text = Buffer.from(bytes).toString("latin1");
  if (!/^[0-9a-f]{64}\n$/.test(text)) {
    throw invalid(ROOT_ID_NAME, `${bytes.length} bytes that are no id`);
  }
  return text.slice(0, -1);
}

function invalid(name: string, found: string): SkillCasError {
  return new SkillCasError({
    code: "ROOT_ID_INVALID",
    message: `${name}: found ${found}; expected a file of this user with 64 hex digits and a line feed. Move it away`,
    facts: { name, found },
  });
}
