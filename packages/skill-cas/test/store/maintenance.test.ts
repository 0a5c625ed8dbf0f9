import {
  chmodSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MountStatus, openPinnedDirectory } from "@mesh/ffi/fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Effect } from "../../src/effects.ts";
import { PUT_ACTION_DIGEST, sha256Hex, stageName } from "../../src/layout.ts";
import { checkFileSystem } from "../../src/root/file-system.ts";
import { StoreSession } from "../../src/store/session.ts";
import { openSkillStore, type SkillStore } from "../../src/store/store.ts";
import { failureOf } from "../failure.ts";
import { failingInterpreter } from "../faults/interpose.ts";

const BODY = new TextEncoder().encode("# a skill\n");
const DIGEST = sha256Hex(BODY);
const OTHER_ACTION = sha256Hex("another action");

let base: string;
let root: string;
let store: SkillStore;

beforeEach(async () => {
  base = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-maintenance-"));
  root = join(base, "skills");
  store = await openSkillStore({ root, create: true });
});

afterEach(async () => {
  await store.close();
  rmSync(base, { recursive: true, force: true });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

function names(): string[] {
  return readdirSync(root).filter((name) => name !== ".mesh-root-id");
}

describe("putMany", () => {
  it("answers in the order of the input; a bad item fails alone, a repeated one is present", async () => {
    const bodies = Array.from({ length: 150 }, (_, index) => new TextEncoder().encode(`skill ${index % 140}`));
    const items = [...bodies.slice(0, 5), new Uint8Array(), ...bodies.slice(5)];
    const results = await all(store.putMany(items));
    expect(results).toHaveLength(151);
    expect(results[5]).toMatchObject({ status: "failed", error: { code: "INVALID_ARGUMENT" } });
    results.splice(5, 1);
    for (const [index, result] of results.entries()) {
      const body = bodies[index];
      expect(result).toEqual({ digest: body && sha256Hex(body), status: index < 140 ? "created" : "present" });
    }
    expect((await all(store.verify())).every(({ state }) => state === "exact")).toBe(true);
    expect(names().filter((name) => name.endsWith(".pending"))).toEqual([]);
  });

  it("makes one directory sync for a whole batch", async () => {
    const effects: Effect[] = [];
    const session = StoreSession.open({ root, create: false, onEffect: ({ effect }) => effects.push(effect) });
    const items = Array.from({ length: 20 }, (_, index) => new TextEncoder().encode(`batched ${index}`));
    await session.putBatch(items);
    session.close();
    const count = (kind: Effect["kind"]): number => effects.filter((effect) => effect.kind === kind).length;
    expect([count("syncFile"), count("link"), count("syncDirectory"), count("unlink")]).toEqual([20, 20, 1, 20]);
    const sync = effects.findIndex(({ kind }) => kind === "syncDirectory");
    expect(effects.findLastIndex(({ kind }) => kind === "link")).toBeLessThan(sync);
    expect(effects.findIndex(({ kind }) => kind === "unlink")).toBeGreaterThan(sync);
  });

  it("reports nobody stored when the merged sync fails, and everybody afterwards", async () => {
    const session = StoreSession.open({
      root,
      create: false,
      interpose: (disk) => failingInterpreter(disk, ({ kind }) => (kind === "syncDirectory" ? "EIO" : undefined)),
    });
    const items = [BODY, new Uint8Array([1])];
    for (const outcome of await session.putBatch(items)) {
      expect(outcome).toMatchObject({ status: "failed", error: { code: "SYNC_FAILED" } });
    }
    session.close();
    expect((await all(store.putMany(items))).map(({ status }) => status)).toEqual(["present", "present"]);
    expect(statSync(join(root, DIGEST)).nlink).toBe(1);
  });
});

describe("sweep", () => {
  it("publishes a whole stage of any action, removes broken ones, and removes locks of what is not here", async () => {
    writeFileSync(join(root, stageName(DIGEST, OTHER_ACTION)), BODY, { mode: 0o600 });
    const broken = sha256Hex("never written");
    writeFileSync(join(root, stageName(broken, PUT_ACTION_DIGEST)), "part", { mode: 0o600 });
    const gone = sha256Hex("gone");
    writeFileSync(join(root, `${gone}.lock`), "", { mode: 0o600 });
    const kept = (await store.put(new Uint8Array([7]))).digest;
    const findings = new Map((await all(store.sweep())).map((finding) => [finding.digest, finding]));
    expect(findings.get(DIGEST)).toMatchObject({ state: "exact" });
    expect(findings.get(broken)).toMatchObject({ state: "absent", lockRemoved: true });
    expect(findings.get(gone)).toMatchObject({ state: "absent", lockRemoved: true });
    expect(findings.has(kept)).toBe(false);
    expect(names().sort()).toEqual([DIGEST, `${DIGEST}.lock`, kept, `${kept}.lock`].sort());
    expect(await all(store.sweep())).toEqual([]);
  });

  it("chooses one of 64 whole stages and removes all; with 65 it touches nothing", async () => {
    for (let index = 0; index < 64; index += 1) {
      writeFileSync(join(root, stageName(DIGEST, sha256Hex(`action ${index}`))), BODY, { mode: 0o600 });
    }
    expect((await all(store.sweep()))[0]).toMatchObject({ digest: DIGEST, state: "exact" });
    expect(names().sort()).toEqual([DIGEST, `${DIGEST}.lock`]);
    const other = new Uint8Array([1]);
    const digest = sha256Hex(other);
    for (let index = 0; index < 65; index += 1) {
      writeFileSync(join(root, stageName(digest, sha256Hex(`action ${index}`))), other, { mode: 0o600 });
    }
    expect((await all(store.sweep()))[0]).toMatchObject({
      digest,
      state: "conflict",
      reason: { code: "too-many-stages" },
    });
    expect(names().filter((name) => name.endsWith(".pending"))).toHaveLength(65);
  });

  it("leaves a lock alone that cannot be removed, and says so", async () => {
    const gone = sha256Hex("gone");
    const session = StoreSession.open({
      root,
      create: false,
      interpose: (disk) => failingInterpreter(disk, ({ kind }) => (kind === "removeLock" ? "EACCES" : undefined)),
    });
    expect(await session.execute({ kind: "sweep", digest: gone })).toMatchObject({
      state: "absent",
      lockRemoved: false,
      warning: `${gone}.lock stays: EACCES`,
    });
    session.close();
  });
});

describe("quarantine", () => {
  it("moves a wrong object beside a record, and the content can be stored again", async () => {
    writeFileSync(join(root, DIGEST), "hostile", { mode: 0o600 });
    expect(await all(store.conflicts())).toMatchObject([{ digest: DIGEST, reason: { code: "wrong-bytes" } }]);
    expect(await failureOf(() => store.put(BODY))).toMatchObject({ code: "OBJECT_CONFLICT" });
    const record = await store.quarantine(DIGEST, "edited by hand");
    expect(record).toMatchObject({
      digest: DIGEST,
      reason: "edited by hand",
      entries: [{ name: DIGEST, code: "wrong-bytes" }],
    });
    const folder = join(root, ".mesh-quarantine");
    expect(statSync(folder).mode & 0o7777).toBe(0o700);
    const [entry] = record.entries;
    expect(readFileSync(join(folder, entry?.movedTo ?? ""), "utf8")).toBe("hostile");
    const kept = readdirSync(folder).find((name) => name.endsWith(".json")) ?? "";
    expect(JSON.parse(readFileSync(join(folder, kept), "utf8"))).toEqual(record);
    expect(await store.put(BODY)).toMatchObject({ status: "created" });
    expect(await all(store.conflicts())).toEqual([]);
  });

  it("moves a symbolic link itself, an unexplained hard link, and an unsafe stage", async () => {
    const outside = join(base, "outside");
    writeFileSync(outside, BODY, { mode: 0o600 });
    symlinkSync(outside, join(root, DIGEST));
    writeFileSync(join(root, stageName(DIGEST, OTHER_ACTION)), BODY, { mode: 0o644 });
    chmodSync(join(root, stageName(DIGEST, OTHER_ACTION)), 0o644);
    const record = await store.quarantine(DIGEST, "attack");
    expect(record.entries.map(({ code }) => code).sort()).toEqual(["not-a-regular-file", "wrong-mode"]);
    expect(readFileSync(outside, "utf8")).toBe("# a skill\n");
    linkSync(outside, join(root, DIGEST));
    expect((await store.quarantine(DIGEST, "again")).entries[0]).toMatchObject({ code: "unexpected-links" });
    expect(await store.put(BODY)).toMatchObject({ status: "created" });
  });

  it("moves nothing that is exact, and nothing that is absent", async () => {
    await store.put(BODY);
    for (const digest of [DIGEST, sha256Hex("absent")]) {
      expect(await failureOf(() => store.quarantine(digest, "no"))).toMatchObject({ code: "NOTHING_TO_QUARANTINE" });
    }
    expect(existsSync(join(root, ".mesh-quarantine"))).toBe(false);
  });
});

describe("a file system that cannot keep the promise", () => {
  it.each(["EPERM", "ENOSYS"] as const)("is refused at opening where linkat says %s", async (errno) => {
    const error = await failureOf(() =>
      StoreSession.open({
        root,
        create: false,
        interpose: (disk) => failingInterpreter(disk, ({ kind }) => (kind === "link" ? errno : undefined)),
      }),
    );
    expect(error).toMatchObject({ code: "HARD_LINKS_UNSUPPORTED", facts: { path: root, errnoName: errno } });
  });

  it.each(["nfs", "fuse", "vfat"])("is refused by name: %s", async (name) => {
    const mount = (): MountStatus => ({ type: 1, name, readOnly: false, device: 1n });
    using directory = openPinnedDirectory(root);
    const look = { path: root, mount, status: () => directory.status() };
    expect(await failureOf(() => checkFileSystem(look))).toMatchObject({
      code: "FILE_SYSTEM_UNSUPPORTED",
      facts: { fileSystem: name },
    });
  });

  it("opens with a warning where the look itself fails", () => {
    using directory = openPinnedDirectory(root);
    const mount = (): MountStatus => {
      throw new Error("EIO: fstatfs");
    };
    const look = { path: root, mount, status: () => directory.status() };
    expect(checkFileSystem(look)).toMatchObject({
      fileSystem: { name: "unknown" },
      warnings: [expect.stringContaining("EIO") as string],
    });
  });
});
