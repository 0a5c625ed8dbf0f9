import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureOf } from "../failure.ts";
import { OBJECT_BYTES_MAX, sha256Hex } from "../../src/layout.ts";
import { openSkillStore, type SkillStore } from "../../src/store/store.ts";
import { openSkillStoreSync, type SkillStoreSync } from "../../src/store/store-sync.ts";

const BODY = new TextEncoder().encode("# a skill\n");
const DIGEST = sha256Hex(BODY);

let base: string;
let root: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "skill-cas-store-"));
  root = join(base, "state", "skills");
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

/** Both twins behind one asynchronous face, so that each property is tested on both. */
const TWINS: readonly [string, (create: boolean) => Promise<SkillStore | SkillStoreSync>][] = [
  ["asynchronous", (create) => openSkillStore({ root, create })],
  ["synchronous", (create) => Promise.resolve().then(() => openSkillStoreSync({ root, create }))],
];

describe.each(TWINS)("the %s store", (_name, open) => {
  it("makes a private root, keeps bytes, and gives them back verified", async () => {
    const store = await open(true);
    expect(await store.put(BODY)).toEqual({ digest: DIGEST, status: "created" });
    expect(await store.put(BODY)).toEqual({ digest: DIGEST, status: "present" });
    expect(Buffer.from(await store.read(DIGEST)).equals(BODY)).toBe(true);
    expect(await store.has(DIGEST)).toBe(true);
    expect(await store.stat(DIGEST)).toMatchObject({ mode: 0o600, linkCount: 1, size: BODY.length, kind: "regular" });
    await store.close();
    expect(statSync(root).mode & 0o7777).toBe(0o700);
    expect(statSync(join(base, "state")).mode & 0o7777).toBe(0o700);
  });

  it("lists and verifies every object, and reports the one that was edited in place without touching it", async () => {
    const store = await open(true);
    const other = (await store.put(new Uint8Array([1, 2, 3]))).digest;
    await store.put(BODY);
    writeFileSync(join(root, other), new Uint8Array([9, 2, 3]));
    const listed: string[] = [];
    for await (const digest of store.list()) listed.push(digest);
    expect(listed.sort()).toEqual([DIGEST, other].sort());
    const findings = new Map<string, string>();
    for await (const finding of store.verify()) {
      findings.set(finding.digest, finding.state === "conflict" ? finding.reason.code : finding.state);
    }
    expect(findings).toEqual(
      new Map([
        [DIGEST, "exact"],
        [other, "wrong-bytes"],
      ]),
    );
    expect(await failureOf(() => store.read(other))).toMatchObject({
      code: "OBJECT_CONFLICT",
      facts: { reason: "wrong-bytes", name: other },
    });
    expect(statSync(join(root, other)).size).toBe(3);
    await store.close();
  });

  it("refuses nothing, too much, and what is no digest, before it touches anything", async () => {
    const store = await open(true);
    for (const bytes of [new Uint8Array(), new Uint8Array(OBJECT_BYTES_MAX + 1)]) {
      expect(await failureOf(() => store.put(bytes))).toMatchObject({ code: "INVALID_ARGUMENT" });
    }
    for (const digest of ["", "../x", DIGEST.toUpperCase(), `${DIGEST}0`]) {
      expect(await failureOf(() => store.read(digest))).toMatchObject({
        code: "INVALID_ARGUMENT",
      });
    }
    expect(await failureOf(() => store.read(DIGEST))).toMatchObject({ code: "OBJECT_MISSING" });
    await store.close();
  });

  it("takes an object of exactly the largest size", async () => {
    const store = await open(true);
    const bytes = new Uint8Array(OBJECT_BYTES_MAX).fill(7);
    const { digest } = await store.put(bytes);
    expect((await store.read(digest)).length).toBe(OBJECT_BYTES_MAX);
    await store.close();
  });

  it("is another store after the root id changed, and the same one after reopening", async () => {
    const first = await open(true);
    const id = first.facts.rootId;
    await first.close();
    const second = await open(false);
    expect(second.facts.rootId).toBe(id);
    await second.close();
    expect(statSync(join(root, ".mesh-root-id")).mode & 0o7777).toBe(0o600);
  });

  it("fails with STORE_CLOSED after close", async () => {
    const store = await open(true);
    await store.close();
    await store.close();
    expect(await failureOf(() => store.put(BODY))).toMatchObject({ code: "STORE_CLOSED" });
  });

  it("refuses a missing root unless it may make it", async () => {
    expect(await failureOf(() => open(false))).toMatchObject({
      code: "ROOT_MISSING",
      facts: { missing: join(base, "state") },
    });
  });

  it("names the directory that others can write to, what was found, and the repair, and makes nothing", async () => {
    mkdirSync(join(base, "state"));
    chmodSync(join(base, "state"), 0o775);
    expect(await failureOf(() => open(true))).toMatchObject({
      code: "ROOT_UNSAFE",
      facts: {
        path: join(base, "state"),
        found: expect.stringContaining("0775") as string,
        repair: expect.stringContaining("chmod go-w") as string,
      },
    });
    expect(() => statSync(root)).toThrow(/ENOENT/);
  });

  it("refuses a root of another mode and a root that is a symbolic link", async () => {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    chmodSync(root, 0o750);
    expect(await failureOf(() => open(false))).toMatchObject({
      code: "ROOT_UNSAFE",
      facts: { path: root, repair: `chmod 700 ${root}` },
    });
    chmodSync(root, 0o700);
    symlinkSync(root, join(base, "link"));
    const real = root;
    root = join(base, "link");
    expect(await failureOf(() => open(true))).toMatchObject({
      code: "ROOT_UNSAFE",
      facts: { path: root, found: "symlink", repair: expect.stringContaining(real) as string },
    });
  });

  it("reads an object whose publisher was killed before it removed its stage", async () => {
    const store = await open(true);
    await store.put(BODY);
    linkSync(join(root, DIGEST), join(root, `.ctx-skill-${DIGEST}-${"0".repeat(64)}.pending`));
    expect((await store.read(DIGEST)).length).toBe(BODY.length);
    expect(statSync(join(root, DIGEST)).nlink).toBe(1);
    await store.close();
  });
});
