import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPinnedDirectory, type PinnedDirectory } from "@mesh/ffi/fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Address } from "../src/address.ts";
import { type Effect, isChanging, type Steps } from "../src/effects.ts";
import { Run, runBlocking } from "../src/interpreters/run.ts";
import { createSyncInterpreter } from "../src/interpreters/sync.ts";
import { PUT_ACTION_DIGEST, sha256Hex, stageName } from "../src/layout.ts";
import { type Publication, publish, reconcile } from "../src/publish.ts";
import type { Outcome } from "../src/seal.ts";

const BODY = new TextEncoder().encode("---\nname: x\n---\nUse tests first.\n");
const DIGEST = sha256Hex(BODY);
const STAGE = stageName(DIGEST, PUT_ACTION_DIGEST);

let root: string;
let directory: PinnedDirectory;
let effects: Effect[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skill-cas-publish-"));
  directory = openPinnedDirectory(root);
  effects = [];
});

afterEach(() => {
  directory.close();
  rmSync(root, { recursive: true });
});

function address(): Address {
  const { device, inode } = directory.status();
  return { store: { owner: process.geteuid?.() ?? 0, root: { device, inode } }, digest: DIGEST, size: BODY.length };
}

function run<T>(steps: Steps<T>): T {
  return runBlocking(new Run(steps, createSyncInterpreter(directory), ({ effect }) => effects.push(effect)));
}

function put(): Publication {
  return run(publish(address(), { actionDigest: PUT_ACTION_DIGEST, patience: "wait", body: BODY }));
}

/** Publishes, lets something happen, and reconciles as the handle that published. */
function reconcileAfter(happens: () => void): Outcome {
  const { outcome } = put();
  if (outcome.state !== "exact") throw new Error(`published as ${outcome.state}`);
  happens();
  effects = [];
  return run(reconcile(address(), PUT_ACTION_DIGEST, "wait", outcome.status));
}

function syncs(): string[] {
  return effects.map(({ kind }) => kind).filter((kind) => kind.startsWith("sync"));
}

describe("publishing on a real directory", () => {
  it("costs one file sync, one directory sync, eight changing calls and at most forty calls in all", () => {
    expect(put()).toMatchObject({ created: true, outcome: { state: "exact" } });
    expect(effects.filter(isChanging).map((effect) => effect.kind)).toEqual([
      "createLock",
      "lock",
      "create",
      "write",
      "syncFile",
      "link",
      "syncDirectory",
      "unlink",
    ]);
    expect(effects.length).toBeLessThanOrEqual(40);
    expect(effects.some((effect) => effect.kind === "list")).toBe(false);
  });

  it("leaves one private object with one link, and its lock", () => {
    put();
    expect(readdirSync(root).sort()).toEqual([DIGEST, `${DIGEST}.lock`]);
    const status = statSync(join(root, DIGEST));
    expect([status.mode & 0o7777, status.nlink, status.size]).toEqual([0o600, 1, BODY.length]);
  });

  it("finds the object the second time and writes nothing", () => {
    put();
    const first = statSync(join(root, DIGEST));
    effects = [];
    expect(put()).toMatchObject({ created: false, outcome: { state: "exact" } });
    expect(statSync(join(root, DIGEST)).ino).toBe(first.ino);
    expect(effects.filter(isChanging).map((effect) => effect.kind)).toEqual([
      "createLock",
      "lock",
      "syncFile",
      "syncDirectory",
    ]);
  });

  it("never adopts the inode of a whole stage: the object is a copy", () => {
    writeFileSync(join(root, STAGE), BODY, { mode: 0o600 });
    const stage = statSync(join(root, STAGE));
    expect(put()).toMatchObject({ created: false, outcome: { state: "exact" } });
    expect(statSync(join(root, DIGEST)).ino).not.toBe(stage.ino);
    expect(readdirSync(root).sort()).toEqual([DIGEST, `${DIGEST}.lock`]);
  });
});

describe("reconciling what the same handle has published", () => {
  const object = (): string => join(root, DIGEST);
  const replaceBy = (bytes: Uint8Array): void => {
    writeFileSync(join(root, "other"), bytes, { mode: 0o600 });
    renameSync(join(root, "other"), object());
  };

  it("reads it back and syncs nothing once more while nothing about it has changed", () => {
    expect(reconcileAfter(() => undefined).state).toBe("exact");
    expect(syncs()).toEqual([]);
    expect(effects.filter(({ kind }) => kind === "read").length).toBeGreaterThan(0);
  });

  it.each<[string, () => void]>([
    [
      "replaced by another file with the same bytes",
      (): void => {
        replaceBy(BODY);
      },
    ],
    [
      "written to with the same bytes",
      (): void => {
        writeFileSync(object(), BODY);
      },
    ],
    [
      "moved away and back",
      (): void => {
        renameSync(object(), join(root, "elsewhere"));
        renameSync(join(root, "elsewhere"), object());
      },
    ],
    [
      "joined by a stage of the same action",
      (): void => {
        writeFileSync(join(root, STAGE), BODY, { mode: 0o600 });
      },
    ],
  ])("syncs file and directory as for a stranger's when it was %s", (_what, happens) => {
    expect(reconcileAfter(happens).state).toBe("exact");
    expect(syncs()).toEqual(["syncFile", "syncDirectory"]);
    expect(readdirSync(root)).not.toContain(STAGE);
  });

  it.each<[string, () => void, Outcome["state"]]>([
    [
      "replaced by other bytes",
      (): void => {
        replaceBy(new Uint8Array(BODY.length));
      },
      "conflict",
    ],
    [
      "edited in its place",
      (): void => {
        writeFileSync(object(), "other");
      },
      "conflict",
    ],
    [
      "removed",
      (): void => {
        rmSync(object());
      },
      "absent",
    ],
  ])("sees what is there when it was %s", (_what, happens, state) => {
    expect(reconcileAfter(happens).state).toBe(state);
  });
});
