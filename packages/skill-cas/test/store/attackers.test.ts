import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockName, QUARANTINE_NAME, sha256Hex, stageName } from "../../src/layout.ts";
import { openSkillStoreSync, type SkillStoreSync } from "../../src/store/store-sync.ts";
import { StoreSession } from "../../src/store/session.ts";
import { failureOf } from "../failure.ts";
import { failingInterpreter } from "../faults/interpose.ts";
import { fingerprint } from "./fingerprint.ts";
import { besiege, BODY, NAMES } from "./siege.ts";
import { thingsOf } from "./things.ts";

// Guarantee 4: whatever another puts at one of our names is a conflict with a reason, and stays untouched.

const DIGEST = sha256Hex(BODY);

describe.each(["object", "stage", "lock"] as const)("at the name of the %s", (at) => {
  it.each(thingsOf(BODY))("$what is refused by everything, untouched, until it is quarantined", async (thing) => {
    await besiege(at, thing);
  });
});

let base: string;
let root: string;
let store: SkillStoreSync;

beforeEach(() => {
  base = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-attackers-"));
  root = join(base, "skills");
  store = openSkillStoreSync({ root, create: true });
});

afterEach(() => {
  store.close();
  rmSync(base, { recursive: true, force: true });
});

describe("the root", () => {
  it("that is renamed away and replaced makes a conflict; the replacement stays empty", async () => {
    const present = new TextEncoder().encode("# stored before\n");
    const { digest } = store.put(present);
    renameSync(root, join(base, "moved"));
    mkdirSync(root, { mode: 0o700 });
    for (const bytes of [BODY, present]) {
      expect(await failureOf(() => store.put(bytes))).toMatchObject({
        code: "OBJECT_CONFLICT",
        facts: { reason: "root-changed" },
      });
    }
    expect(Buffer.from(store.read(digest)).equals(present)).toBe(true);
    expect(readdirSync(root)).toEqual([]);
  });
});

describe("an object edited in place", () => {
  it("is never read and never stored over, and stays as evidence", async () => {
    store.put(BODY);
    writeFileSync(join(root, DIGEST), "# b skill\n");
    const before = fingerprint(root);
    const refused = { code: "OBJECT_CONFLICT", facts: { reason: "wrong-bytes", name: DIGEST } };
    expect(await failureOf(() => store.read(DIGEST))).toMatchObject(refused);
    expect(await failureOf(() => store.put(BODY))).toMatchObject(refused);
    expect([...store.sweep()]).toEqual([]);
    expect(fingerprint(root)).toEqual(before);
  });
});

describe("quarantine", () => {
  it("moves a stage and an object that somebody else has a link to, where both have the right bytes", () => {
    for (const name of [NAMES.stage, DIGEST]) {
      writeFileSync(join(root, name), BODY, { mode: 0o600 });
      linkTwice(name);
    }
    const { entries } = store.quarantine(DIGEST, "linked from elsewhere");
    expect(entries.map(({ name, code }) => [name, code]).sort()).toEqual(
      [NAMES.stage, DIGEST].map((name) => [name, "unexpected-links"]),
    );
    expect(store.put(BODY)).toMatchObject({ status: "created" });
  });

  it("does not move what took the place of the conflict that it wrote down", async () => {
    writeFileSync(join(root, DIGEST), "foreign", { mode: 0o600 });
    const session = StoreSession.open({
      root,
      create: false,
      // The record is on the disk: now somebody puts it right by hand.
      onEffect: ({ effect }) => {
        if (effect.kind !== "syncDirectory" || effect.directory === undefined) return;
        rmSync(join(root, DIGEST));
        writeFileSync(join(root, DIGEST), BODY, { mode: 0o600 });
      },
    });
    const request = { kind: "quarantine", digest: DIGEST, reason: "foreign" } as const;
    expect(await failureOf(() => session.executeBlocking(request))).toMatchObject({ facts: { name: DIGEST } });
    session.close();
    expect(store.put(BODY)).toMatchObject({ status: "present" });
  });

  it("moves by a second link where the file system cannot rename without replacing", async () => {
    writeFileSync(join(root, DIGEST), "foreign", { mode: 0o600 });
    const { ino } = lstatSync(join(root, DIGEST));
    const session = StoreSession.open({
      root,
      create: false,
      interpose: (disk) => failingInterpreter(disk, ({ kind }) => (kind === "rename" ? "EINVAL" : undefined)),
    });
    const record = await session.execute({ kind: "quarantine", digest: DIGEST, reason: "foreign" });
    session.close();
    const moved = lstatSync(join(root, QUARANTINE_NAME, record.entries[0]?.movedTo ?? ""));
    expect([moved.ino, moved.nlink]).toEqual([ino, 1]);
    expect(store.put(BODY)).toMatchObject({ status: "created" });
  });

  it("moves the stages of a content that has too many", async () => {
    for (let index = 0; index < 64; index += 1) {
      writeFileSync(join(root, stageName(DIGEST, sha256Hex(`action ${index}`))), BODY, { mode: 0o600 });
    }
    writeFileSync(join(root, NAMES.stage), BODY, { mode: 0o600 });
    expect(await failureOf(() => store.put(BODY))).toMatchObject({ facts: { reason: "too-many-stages" } });
    const { entries } = store.quarantine(DIGEST, "a flood");
    expect(new Set(entries.map(({ code }) => code))).toEqual(new Set(["too-many-stages"]));
    expect(store.put(BODY)).toMatchObject({ digest: DIGEST });
    expect(readdirSync(root).filter((name) => name.endsWith(".pending"))).toEqual([]);
  });

  it("moves a full directory at the name of the lock of an object that is well, and leaves the object alone", async () => {
    store.put(BODY);
    rmSync(join(root, lockName(DIGEST)));
    mkdirSync(join(root, lockName(DIGEST)));
    writeFileSync(join(root, lockName(DIGEST), "kept"), "kept");
    const object = fingerprint(join(root, DIGEST));
    expect(await failureOf(() => store.put(BODY))).toMatchObject({ code: "LOCK_UNSAFE" });
    const { entries } = store.quarantine(DIGEST, "in the way");
    expect(entries).toMatchObject([{ name: lockName(DIGEST), code: "unsafe-lock", facts: { kind: "directory" } }]);
    expect(readdirSync(join(root, ".mesh-quarantine", entries[0]?.movedTo ?? ""))).toEqual(["kept"]);
    expect(store.put(BODY)).toMatchObject({ status: "present" });
    expect(fingerprint(join(root, DIGEST))).toEqual(object);
    expect(await failureOf(() => store.quarantine(DIGEST, "again"))).toMatchObject({ code: "NOTHING_TO_QUARANTINE" });
  });
});

function linkTwice(name: string): void {
  linkSync(join(root, name), join(base, `second-name-of-${name}`));
}
