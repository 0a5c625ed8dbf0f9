import { lstatSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { lockName, PUT_ACTION_DIGEST, sha256Hex, stageName } from "../../src/layout.ts";
import type { ConflictCode } from "../../src/reason.ts";
import type { PutOutcome } from "../../src/store/request.ts";
import { StoreSession } from "../../src/store/session.ts";
import { openSkillStoreSync, type SkillStoreSync } from "../../src/store/store-sync.ts";
import { failureOf } from "../failure.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Thing } from "./things.ts";

/** The content that is besieged. */
export const BODY = new TextEncoder().encode("# a skill\n");
const DIGEST = sha256Hex(BODY);
const OTHER = new TextEncoder().encode("# another skill, which is well\n");
const OTHER_DIGEST = sha256Hex(OTHER);

/** The three names of a content. */
export const NAMES = {
  object: DIGEST,
  stage: stageName(DIGEST, PUT_ACTION_DIGEST),
  lock: lockName(DIGEST),
} as const;

/** A store with a thing at one of the names of a content, and with another content that is well. */
interface Siege {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  readonly session: StoreSession;
  readonly store: SkillStoreSync;
}

function layOut(): Siege {
  const base = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-siege-"));
  const root = join(base, "skills");
  const outside = join(base, "outside");
  writeFileSync(outside, BODY, { mode: 0o600 });
  const session = StoreSession.open({ root, create: true });
  // Opened now, because opening tries whether the file system has hard links.
  const store = openSkillStoreSync({ root });
  onTestFinished(() => {
    store.close();
    session.close();
    rmSync(base, { recursive: true, force: true });
  });
  session.executeBlocking({ kind: "put", bytes: OTHER });
  return { base, root, outside, session, store };
}

/**
 * Puts a thing at one name of a content and asks the store for everything it can do with that content. Each time the thing
 * is refused, with a reason and at once; afterwards nothing at all has changed, in the store and outside of it. Then it is
 * quarantined, and the content can be stored.
 */
export async function besiege(at: keyof typeof NAMES, thing: Thing): Promise<void> {
  const siege = layOut();
  const { base, root, outside, session } = siege;
  const path = join(root, NAMES[at]);
  // Taking the lock makes its file; where that is there, nothing has to be made.
  if (at !== "lock") writeFileSync(join(root, NAMES.lock), "", { mode: 0o600 });
  thing.place(path, outside);
  const before = fingerprint(base);
  for (const [what, ask] of Object.entries(QUESTIONS)) {
    await ask(session, { at, code: at === "lock" ? "unsafe-lock" : thing.code });
    expect(fingerprint(base), `after ${what}`).toEqual(before);
  }
  expectStoreReports(siege.store, at, thing);
  expect(fingerprint(base), "after sweep and verify").toEqual(before);
  expectQuarantined(siege, at, thing);
}

interface Refusal {
  readonly at: keyof typeof NAMES;
  readonly code: ConflictCode;
}

const QUESTIONS: Readonly<Record<string, (session: StoreSession, refusal: Refusal) => Promise<void>>> = {
  put: async (session, refusal) => {
    expectRefused(await failureOf(() => session.executeBlocking({ kind: "put", bytes: BODY })), refusal);
  },
  putMany: async (session, refusal) => {
    const [well, refused] = await session.putBatch([OTHER, BODY]);
    expect(well).toEqual({ digest: OTHER_DIGEST, status: "present" });
    expectRefused(errorOf(refused), refusal);
  },
  read: async (session, refusal) => {
    const error = await failureOf(() => session.executeBlocking({ kind: "read", digest: DIGEST }));
    // A stage or a lock is no business of a reader, and there is no object.
    if (refusal.at === "object") expectRefused(error, refusal);
    else expect(error).toMatchObject({ code: "OBJECT_MISSING" });
  },
  reconcile: async (session, refusal) => {
    const request = { kind: "reconcile", digest: DIGEST, size: BODY.length, actionDigest: PUT_ACTION_DIGEST } as const;
    if (refusal.at === "lock") expectRefused(await failureOf(() => session.executeBlocking(request)), refusal);
    else {
      expect(session.executeBlocking(request)).toMatchObject({
        state: "conflict",
        reason: { code: refusal.code, facts: { name: NAMES[refusal.at] } },
      });
    }
  },
  sweep: async (session, refusal) => {
    expect(await session.execute({ kind: "sweep", digest: DIGEST })).toMatchObject({
      state: "conflict",
      reason: { code: refusal.code, facts: { name: NAMES[refusal.at] } },
    });
  },
};

function expectRefused(error: unknown, { at, code }: Refusal): void {
  const expected =
    at === "lock"
      ? { code: "LOCK_UNSAFE", facts: { name: NAMES.lock } }
      : { code: "OBJECT_CONFLICT", facts: { name: NAMES[at], reason: code } };
  expect(error).toMatchObject(expected);
}

function errorOf(outcome: PutOutcome | undefined): unknown {
  return outcome?.status === "failed" ? outcome.error : outcome;
}

/** A sweep and a verification of the whole store go on to what is well, and report what is not. */
function expectStoreReports(store: SkillStoreSync, at: keyof typeof NAMES, thing: Thing): void {
  const found = (code: ConflictCode): unknown => ({ digest: DIGEST, state: "conflict", reason: { code } });
  const well = { digest: OTHER_DIGEST, state: "exact", size: OTHER.length };
  const swept = { object: [], stage: [found(thing.code)], lock: [found("unsafe-lock")] };
  // A content comes twice where it has both a stage and a lock.
  expect([...new Map([...store.sweep()].map((finding) => [finding.digest, finding])).values()]).toMatchObject(
    swept[at],
  );
  const verified = [...store.verify()].sort(
    (left, right) => Number(right.digest === DIGEST) - Number(left.digest === DIGEST),
  );
  expect(verified).toMatchObject(at === "object" ? [found(thing.code), well] : [well]);
}

function expectQuarantined({ root, outside, session }: Siege, at: keyof typeof NAMES, thing: Thing): void {
  const path = join(root, NAMES[at]);
  const [inode, before] = [lstatSync(path).ino, lstatSync(outside)];
  const record = session.executeBlocking({ kind: "quarantine", digest: DIGEST, reason: "besieged" });
  expect(record.entries).toMatchObject([{ name: NAMES[at], code: at === "lock" ? "unsafe-lock" : thing.code }]);
  expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined();
  expect(lstatSync(join(root, ".mesh-quarantine", record.entries[0]?.movedTo ?? "")).ino).toBe(inode);
  expect(session.executeBlocking({ kind: "put", bytes: BODY })).toEqual({ digest: DIGEST, status: "created" });
  expect(Buffer.from(session.executeBlocking({ kind: "read", digest: DIGEST })).equals(BODY)).toBe(true);
  // The thing itself may have been renamed; what it leads to was not so much as touched.
  const { mode, nlink, size, mtimeMs } = lstatSync(outside);
  expect({ mode, nlink, size, mtimeMs }).toEqual({
    mode: before.mode,
    nlink: before.nlink,
    size: before.size,
    mtimeMs: before.mtimeMs,
  });
}
