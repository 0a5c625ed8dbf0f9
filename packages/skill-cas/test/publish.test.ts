import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPinnedDirectory, type PinnedDirectory } from "@mesh/ffi/fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Address } from "../src/address.ts";
import { type Effect, isChanging } from "../src/effects.ts";
import { Run, runBlocking } from "../src/interpreters/run.ts";
import { createSyncInterpreter } from "../src/interpreters/sync.ts";
import { PUT_ACTION_DIGEST, sha256Hex, stageName } from "../src/layout.ts";
import { type Publication, publish } from "../src/publish.ts";

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

function put(): Publication {
  const status = directory.status();
  const address: Address = {
    store: { owner: process.geteuid?.() ?? 0, root: { device: status.device, inode: status.inode } },
    digest: DIGEST,
    size: BODY.length,
  };
  const steps = publish(address, {
    actionDigest: PUT_ACTION_DIGEST,
    patience: "wait",
    body: BODY,
  });
  const run = new Run(steps, createSyncInterpreter(directory), ({ effect }) => effects.push(effect));
  return runBlocking(run);
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
