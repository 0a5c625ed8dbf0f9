import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lockName, QUARANTINE_NAME } from "../../../src/layout.ts";
import { openSkillStoreSync } from "../../../src/store/store-sync.ts";
import { failureOf } from "../../failure.ts";
import { fingerprint } from "../../store/fingerprint.ts";
import { finishJob } from "../child.ts";
import { needRoot } from "./need-root.ts";
import { BODY, DIGEST, makeRoot, publishJob, quarantineJob } from "../store-state.ts";

// A store of a user who is not root, in which root left something: what only root can set up.

const USER = 65534;

/** A root of that user, with a file of root's at one of its names. */
function rootWithFileOfRoot(name: string): string {
  const root = makeRoot();
  chownSync(root, USER, USER);
  writeFileSync(join(root, name), BODY, { mode: 0o600 });
  return root;
}

describe("a file that the user of the store can neither read nor link", () => {
  it("at the name of the object is a conflict, and is moved by quarantine", async (context) => {
    needRoot(context);
    const root = rootWithFileOfRoot(DIGEST);
    const { attempts } = await finishJob(publishJob(root, { user: USER }));
    expect(attempts).toEqual([{ state: "conflict", reason: "wrong-owner" }]);
    expect((await finishJob(quarantineJob(root, { user: USER }))).attempts).toEqual([{ state: "quarantined" }]);
    const moved = readdirSync(join(root, QUARANTINE_NAME)).find((name) => !name.endsWith(".json")) ?? "";
    expect(lstatSync(join(root, QUARANTINE_NAME, moved))).toMatchObject({ uid: 0, nlink: 1, size: BODY.length });
    expect((await finishJob(publishJob(root, { user: USER }))).attempts).toEqual([{ state: "exact" }]);
    expect(lstatSync(join(root, DIGEST))).toMatchObject({ uid: USER, nlink: 1 });
  });

  it("at the name of the lock is no lock, and is moved by quarantine", async (context) => {
    needRoot(context);
    const root = rootWithFileOfRoot(lockName(DIGEST));
    const before = fingerprint(root);
    const { attempts } = await finishJob(publishJob(root, { user: USER }));
    expect(attempts).toMatchObject([{ state: "failed", code: "LOCK_UNSAFE", facts: { name: lockName(DIGEST) } }]);
    expect(fingerprint(root)).toEqual(before);
    expect((await finishJob(quarantineJob(root, { user: USER }))).attempts).toEqual([{ state: "quarantined" }]);
    expect((await finishJob(publishJob(root, { user: USER }))).attempts).toEqual([{ state: "exact" }]);
  });
});

describe("a way to the root on which another user could put something else", () => {
  it("is refused where an ancestor is his", async (context) => {
    needRoot(context);
    const base = join(makeRoot(), "his");
    mkdirSync(base, { mode: 0o700 });
    chownSync(base, USER, USER);
    const before = fingerprint(base);
    expect(await failureOf(() => openSkillStoreSync({ root: join(base, "a", "skills"), create: true }))).toMatchObject({
      code: "ROOT_UNSAFE",
      facts: { path: base, found: `owner ${USER}` },
    });
    expect(fingerprint(base)).toEqual(before);
  });

  it("is refused where the root is his, in a sticky directory that all may write to", async (context) => {
    needRoot(context);
    const base = makeRoot();
    chmodSync(base, 0o1777);
    const root = join(base, "skills");
    mkdirSync(root, { mode: 0o700 });
    openSkillStoreSync({ root }).close();
    chownSync(root, USER, USER);
    expect(await failureOf(() => openSkillStoreSync({ root }))).toMatchObject({
      code: "ROOT_UNSAFE",
      facts: { path: base, found: expect.stringContaining("child owned by another") as string },
    });
  });
});
