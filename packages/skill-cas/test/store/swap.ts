import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPinnedDirectory } from "@mesh/ffi/fs";
import { expect } from "vitest";
import type { Effect } from "../../src/effects.ts";
import { SkillCasError } from "../../src/error.ts";
import { Run, runBlocking } from "../../src/interpreters/run.ts";
import { createSyncInterpreter } from "../../src/interpreters/sync.ts";
import { parseEntryName, QUARANTINE_NAME, sha256Hex, stageName } from "../../src/layout.ts";
import { type StoreRequest, stepsOf } from "../../src/store/request.ts";
import { fingerprint } from "./fingerprint.ts";
import { BODY, NAMES } from "./siege.ts";
import type { Thing } from "./things.ts";

const DIGEST = NAMES.object;
const PUT: StoreRequest = { kind: "put", bytes: BODY };

/** Something a store does with a content, and what it finds. */
export interface Operation {
  readonly request: StoreRequest;
  readonly prepare: (root: string) => void;
}

/** Everything a store does with a content. */
export const OPERATIONS = {
  "a fresh put": { request: PUT, prepare: () => undefined },
  "a put that finds its own whole stage": { request: PUT, prepare: writing([NAMES.stage, BODY]) },
  "a put of what is there": { request: PUT, prepare: writing([DIGEST, BODY]) },
  "a read": { request: { kind: "read", digest: DIGEST }, prepare: writing([DIGEST, BODY]) },
  "a sweep": {
    request: { kind: "sweep", digest: DIGEST },
    prepare: writing([NAMES.stage, BODY], [stageName(DIGEST, sha256Hex("another action")), BODY.subarray(1)]),
  },
  "a sweep that removes everything": {
    request: { kind: "sweep", digest: DIGEST },
    prepare: writing([NAMES.stage, BODY.subarray(1)]),
  },
  "a quarantine": {
    request: { kind: "quarantine", digest: DIGEST, reason: "a test" },
    prepare: writing([DIGEST, new TextEncoder().encode("foreign")]),
  },
} as const satisfies Readonly<Record<string, Operation>>;

function writing(...files: readonly (readonly [string, Uint8Array])[]): Operation["prepare"] {
  return (root) => {
    for (const [name, bytes] of files) writeFileSync(join(root, name), bytes, { mode: 0o600 });
  };
}

/** Another private file of ours with other bytes: what a confused program could write. */
export const OTHER_FILE: Thing = {
  what: "another private file",
  code: "wrong-bytes",
  place: (path) => {
    writeFileSync(path, "# a skull\n", { mode: 0o600 });
  },
};

type Answer =
  | { readonly kind: "answered"; readonly answer: unknown }
  | { readonly kind: "refused"; readonly code: string };

function ask(root: string, request: StoreRequest, onEffect: (effect: Effect, index: number) => void): Answer {
  using directory = openPinnedDirectory(root);
  const { device, inode } = directory.status();
  const store = { owner: process.geteuid?.() ?? 0, root: { device, inode } };
  const interpreter = createSyncInterpreter(directory);
  const run = new Run(stepsOf(store, request), interpreter, ({ effect, index }) => {
    onEffect(effect, index);
  });
  try {
    return { kind: "answered", answer: runBlocking(run) };
  } catch (error) {
    if (error instanceof SkillCasError) return { kind: "refused", code: error.code };
    throw error;
  } finally {
    interpreter.closeAll();
  }
}

/** Lets an operation run with something done after one of its effects; undefined once it has no such effect. */
function runWith(
  operation: Operation,
  after: number,
  act: (root: string, outside: string) => void,
  judge: (seen: Seen) => void,
): boolean {
  const base = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-swap-"));
  try {
    const [root, outside] = [join(base, "root"), join(base, "outside")];
    mkdirSync(root, { mode: 0o700 });
    writeFileSync(outside, BODY, { mode: 0o600 });
    operation.prepare(root);
    const before = fingerprint(outside);
    const effects: Effect[] = [];
    const answer = ask(root, operation.request, (effect, index) => {
      effects.push(effect);
      if (index === after) act(root, outside);
    });
    if (effects.length <= after) return false;
    judge({ base, root, answer, effects, where: `after ${after}, ${effects[after]?.kind ?? "nothing"}` });
    expect(fingerprint(outside)).toEqual(before);
    return true;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

interface Seen {
  readonly base: string;
  readonly root: string;
  readonly answer: Answer;
  readonly effects: readonly Effect[];
  readonly where: string;
}

/**
 * Swaps a name for a thing after each effect of an operation in turn. Whatever happens: what is said to be the object is
 * it, nothing outside is touched, what was put there is not overwritten, and once it is gone the content can be stored.
 */
export function swapEverywhere(operation: Operation, at: keyof typeof NAMES, thing: Thing): number {
  for (let after = 0; ; after += 1) {
    let placed = 0;
    const more = runWith(
      operation,
      after,
      (root, outside) => {
        const path = join(root, NAMES[at]);
        rmSync(path, { force: true });
        thing.place(path, outside);
        placed = lstatSync(path).ino;
      },
      (seen) => {
        expectNothingFalse(seen, at, after);
        expectKept(seen, at, thing, after, placed);
        expectRepairable(seen, at, placed);
      },
    );
    if (!more) return after;
  }
}

/** An object is said to be there only where it is, unless it was swapped after the last look at its name. */
function expectNothingFalse({ root, answer, effects, where }: Seen, at: keyof typeof NAMES, after: number): void {
  if (answer.kind === "refused") return;
  if (answer.answer instanceof Uint8Array) {
    expect(Buffer.from(answer.answer).equals(BODY), where).toBe(true);
    return;
  }
  const { state, status } = Object(answer.answer) as { readonly state?: unknown; readonly status?: unknown };
  const saysExact = state === "exact" || status === "created" || status === "present";
  const lastLook = effects.findLastIndex((effect) => effect.kind === "stat" && effect.name === DIGEST);
  if (!saysExact || (at === "object" && after >= lastLook)) return;
  expect(lstatSync(join(root, DIGEST)).isFile(), where).toBe(true);
  expect(readFileSync(join(root, DIGEST)).equals(BODY), where).toBe(true);
}

/**
 * What was put there is still there, or in quarantine. A stage or lock that is a private file of ours is nobody's loss,
 * and what is swapped between the last look at a name and its removal cannot be told from what was looked at.
 */
function expectKept(
  { root, effects, where }: Seen,
  at: keyof typeof NAMES,
  thing: Thing,
  after: number,
  placed: number,
): void {
  const next = effects[after + 1];
  const removed = next?.kind === "unlink" || next?.kind === "removeLock" ? next.name : undefined;
  if (removed === NAMES[at] || (thing === OTHER_FILE && at !== "object")) return;
  const folder = join(root, QUARANTINE_NAME);
  const quarantined = readdirSync(root).includes(QUARANTINE_NAME) ? readdirSync(folder) : [];
  const paths = [join(root, NAMES[at]), ...quarantined.map((name) => join(folder, name))];
  const inodes = paths.map((path) => lstatSync(path, { throwIfNoEntry: false })?.ino);
  expect(inodes, where).toContain(placed);
}

/**
 * Once the thing is gone, the content can be stored. What was linked to the name of the object in place of the stage is
 * seen to be something else right after, and is a conflict like any other.
 */
function expectRepairable({ root, where }: Seen, at: keyof typeof NAMES, placed: number): void {
  const path = join(root, NAMES[at]);
  if (lstatSync(path, { throwIfNoEntry: false })?.ino === placed) rmSync(path, { recursive: true });
  const put = (): Answer => ask(root, PUT, () => undefined);
  let stored = put();
  if (stored.kind === "refused") {
    ask(root, { kind: "quarantine", digest: DIGEST, reason: "a test" }, () => undefined);
    stored = put();
  }
  expect(stored, where).toMatchObject({ kind: "answered", answer: { digest: DIGEST } });
  expect(readFileSync(join(root, DIGEST)).equals(BODY), where).toBe(true);
}

/** Replaces the root by an empty one after each effect in turn: the new one stays empty, and the path is not believed. */
export function replaceRootEverywhere(operation: Operation): number {
  for (let after = 0; ; after += 1) {
    const more = runWith(
      operation,
      after,
      (root) => {
        renameSync(root, `${root}-moved`);
        mkdirSync(root, { mode: 0o700 });
      },
      ({ root, answer, effects, where }) => {
        const lastLook = effects.findLastIndex(({ kind }) => kind === "statRoot");
        const expected = after >= lastLook ? "answered" : "refused";
        expect(answer.kind, where).toBe(expected);
        expect(readdirSync(root), where).toEqual([]);
        const moved = `${root}-moved`;
        for (const name of readdirSync(moved).filter((entry) => parseEntryName(entry).kind === "object")) {
          expect(sha256Hex(readFileSync(join(moved, name))), where).toBe(name);
        }
      },
    );
    if (!more) return after;
  }
}
