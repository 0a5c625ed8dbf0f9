import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockName, PUT_ACTION_DIGEST, sha256Hex, stageName } from "../../src/layout.ts";
import { openSkillStoreSync, type SkillStoreSync } from "../../src/store/store-sync.ts";
import { failureOf } from "../failure.ts";

// Guarantee 4: whatever a confused process puts at one of our names is a conflict with a reason, and stays untouched.

const BODY = new TextEncoder().encode("# a skill\n");
const DIGEST = sha256Hex(BODY);

let base: string;
let root: string;
let store: SkillStoreSync;

beforeEach(() => {
  base = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-attackers-"));
  root = join(base, "skills");
  store = openSkillStoreSync({ root, create: true });
  writeFileSync(join(base, "outside"), BODY, { mode: 0o600 });
});

afterEach(() => {
  store.close();
  rmSync(base, { recursive: true, force: true });
});

const THINGS: readonly [string, (path: string) => void][] = [
  [
    "a symbolic link",
    (path) => {
      symlinkSync(join(base, "outside"), path);
    },
  ],
  [
    "a hard link",
    (path) => {
      linkSync(join(base, "outside"), path);
    },
  ],
  [
    "a FIFO",
    (path) => {
      execFileSync("mkfifo", [path]);
    },
  ],
  [
    "a directory",
    (path) => {
      mkdirSync(path);
    },
  ],
  [
    "a file that others may read",
    (path) => {
      writeFileSync(path, BODY);
      chmodSync(path, 0o644);
    },
  ],
  [
    "a set-uid file",
    (path) => {
      writeFileSync(path, BODY);
      chmodSync(path, 0o4600);
    },
  ],
];

function look(path: string): unknown {
  const { dev, ino, mode, nlink, size, mtimeMs } = lstatSync(path);
  return { dev, ino, mode, nlink, size, mtimeMs };
}

describe.each([
  ["object", DIGEST, "OBJECT_CONFLICT"],
  ["stage", stageName(DIGEST, PUT_ACTION_DIGEST), "OBJECT_CONFLICT"],
  ["lock", lockName(DIGEST), "LOCK_UNSAFE"],
])("at the name of the %s", (_what, name, code) => {
  it.each(THINGS)("%s is refused at once, with a reason, and untouched", async (_thing, place) => {
    const path = join(root, name);
    place(path);
    const before = look(path);
    const error = await failureOf(() => store.put(BODY));
    expect(error.code).toBe(code);
    expect(error.facts["name"]).toBe(name);
    expect(look(path)).toEqual(before);
  });
});

describe("the root", () => {
  it("that is renamed away and replaced makes a conflict; the replacement stays empty", async () => {
    renameSync(root, join(base, "moved"));
    mkdirSync(root, { mode: 0o700 });
    expect(await failureOf(() => store.put(BODY))).toMatchObject({
      code: "OBJECT_CONFLICT",
      facts: { reason: "root-changed" },
    });
    expect(readdirSync(root)).toEqual([]);
  });
});

describe("an object edited in place", () => {
  it("is never read, and stays as evidence", async () => {
    store.put(BODY);
    writeFileSync(join(root, DIGEST), "# b skill\n");
    expect(await failureOf(() => store.read(DIGEST))).toMatchObject({ facts: { reason: "wrong-bytes" } });
    expect(lstatSync(join(root, DIGEST)).size).toBe(BODY.length);
  });
});
