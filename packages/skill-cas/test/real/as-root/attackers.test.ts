import { spawnSync } from "node:child_process";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { besiege, BODY, NAMES } from "../../store/siege.ts";
import type { Thing } from "../../store/things.ts";
import { failureOf } from "../../failure.ts";
import { fingerprint } from "../../store/fingerprint.ts";
import { sha256Hex } from "../../../src/layout.ts";
import { openSkillStoreSync, type SkillStoreSync } from "../../../src/store/store-sync.ts";
import { needRoot } from "./need-root.ts";
import { makeRoot } from "../store-state.ts";

// Guarantee 4, the part that only root can set up: devices, a file of another user, immutable files.

const ANOTHER_USER = 65534;
const DIGEST = sha256Hex(BODY);

/** Runs a command that this machine may forbid. */
function attempt(context: TestContext, command: string, ...args: string[]): void {
  const ended = spawnSync(command, args, { encoding: "utf8" });
  if (ended.status !== 0) context.skip(`blocked: ${command} (${ended.error?.message ?? ended.stderr.trim()})`);
}

/** What root can put somewhere. The context reaches it: a machine without devices reports that, and passes nothing. */
function rootThings(context: TestContext): Readonly<Record<string, Omit<Thing, "what">>> {
  const device = (...numbers: string[]): Omit<Thing, "what"> => ({
    code: "not-a-regular-file",
    place: (path) => {
      attempt(context, "mknod", "-m", "600", path, ...numbers);
    },
  });
  return {
    "a character device": device("c", "1", "3"),
    "a block device": device("b", "7", "0"),
    "a device without a driver": device("c", "4000", "0"),
    "a file of another user with the right bytes": {
      code: "wrong-owner",
      place: (path) => {
        writeFileSync(path, BODY, { mode: 0o600 });
        chownSync(path, ANOTHER_USER, ANOTHER_USER);
      },
    },
  };
}

const KINDS = [
  "a character device",
  "a block device",
  "a device without a driver",
  "a file of another user with the right bytes",
] as const;

describe.each(["object", "stage", "lock"] as const)("at the name of the %s", (at) => {
  it.for(KINDS)("%s is refused by everything, untouched, until it is quarantined", async (what, context) => {
    needRoot(context);
    const thing = rootThings(context)[what];
    if (thing === undefined) throw new Error(`nothing is called ${what}`);
    await besiege(at, { what, ...thing });
  });
});

const OTHER_BYTES = "# a skull\n";

/** A store in which one name of the content is an immutable file; a test that fails leaves no file that cannot go. */
function withImmutable(context: TestContext, at: keyof typeof NAMES, bytes: string): Immutable {
  needRoot(context);
  const root = makeRoot();
  const store = openSkillStoreSync({ root });
  if (at !== "lock") writeFileSync(join(root, NAMES.lock), "", { mode: 0o600 });
  const path = join(root, NAMES[at]);
  writeFileSync(path, bytes, { mode: 0o600 });
  const release = (): void => {
    spawnSync("chattr", ["-i", path]);
  };
  onTestFinished(() => {
    store.close();
    release();
  });
  attempt(context, "chattr", "+i", path);
  return { root, path, store, release };
}

interface Immutable {
  readonly root: string;
  readonly path: string;
  readonly store: SkillStoreSync;
  readonly release: () => void;
}

const UNLINK_REFUSED = {
  code: "EFFECT_FAILED",
  facts: { effect: "unlink", errnoName: "EPERM", name: NAMES.stage },
};

describe("an immutable file", () => {
  it("with other bytes at the name of the object is a conflict, and not even quarantine moves it", async (context) => {
    const { root, path, store, release } = withImmutable(context, "object", OTHER_BYTES);
    const before = fingerprint(root);
    const refused = { code: "OBJECT_CONFLICT", facts: { reason: "wrong-bytes", name: DIGEST } };
    expect(await failureOf(() => store.put(BODY))).toMatchObject(refused);
    expect(await failureOf(() => store.read(DIGEST))).toMatchObject(refused);
    expect([...store.verify()]).toMatchObject([{ state: "conflict", reason: { code: "wrong-bytes" } }]);
    expect(fingerprint(root)).toEqual(before);
    const file = fingerprint(path);
    expect(await failureOf(() => store.quarantine(DIGEST, "in the way"))).toMatchObject({
      code: "EFFECT_FAILED",
      facts: { effect: "rename", errnoName: "EPERM", name: DIGEST },
    });
    expect(fingerprint(path)).toEqual(file);
    release();
    expect(store.quarantine(DIGEST, "in the way").entries).toMatchObject([{ code: "wrong-bytes" }]);
    expect(store.put(BODY)).toMatchObject({ status: "created" });
  });

  it("with half the bytes at the name of the stage stops the put with its errno, and nothing changes", async (context) => {
    const { root, store, release } = withImmutable(context, "stage", OTHER_BYTES.slice(0, 4));
    const before = fingerprint(root);
    expect(await failureOf(() => store.put(BODY))).toMatchObject(UNLINK_REFUSED);
    const [swept] = [...store.sweep()];
    expect(swept).toMatchObject({ digest: DIGEST, state: "failed", ...UNLINK_REFUSED });
    expect(fingerprint(root)).toEqual(before);
    release();
    expect(store.put(BODY)).toMatchObject({ status: "created" });
  });

  it("with all the bytes at the name of the stage loses nothing, and is finished once it may go", async (context) => {
    const { root, path, store, release } = withImmutable(context, "stage", new TextDecoder().decode(BODY));
    const file = fingerprint(path);
    expect(await failureOf(() => store.put(BODY))).toMatchObject(UNLINK_REFUSED);
    expect(fingerprint(path)).toEqual(file);
    release();
    expect(store.put(BODY)).toMatchObject({ status: "present" });
    expect(fingerprint(join(root, NAMES.stage))).toBeUndefined();
    expect([...store.verify()]).toMatchObject([{ digest: DIGEST, state: "exact", size: BODY.length }]);
  });

  it("at the name of the lock is no lock: refused with its errno, and nothing changes", async (context) => {
    const { root, store, release } = withImmutable(context, "lock", "");
    const before = fingerprint(root);
    const refused = { code: "LOCK_UNSAFE", facts: { name: NAMES.lock, errnoName: "EPERM" } };
    expect(await failureOf(() => store.put(BODY))).toMatchObject(refused);
    expect([...store.sweep()]).toMatchObject([{ digest: DIGEST, state: "failed", ...refused }]);
    expect(await failureOf(() => store.quarantine(DIGEST, "in the way"))).toMatchObject(refused);
    expect(fingerprint(root)).toEqual(before);
    release();
    expect(store.put(BODY)).toMatchObject({ status: "created" });
  });

  it("with the right bytes at the name of the object is that object", (context) => {
    const { root, store } = withImmutable(context, "object", new TextDecoder().decode(BODY));
    const before = fingerprint(root);
    expect(store.put(BODY)).toEqual({ digest: DIGEST, status: "present" });
    expect(Buffer.from(store.read(DIGEST)).equals(BODY)).toBe(true);
    expect(fingerprint(root)).toEqual(before);
  });
});
