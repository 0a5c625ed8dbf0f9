import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { lockName, PUT_ACTION_DIGEST, parseEntryName, sha256Hex, stageName } from "../../src/layout.ts";
import type { Job } from "./job.ts";

/** A body that takes two writes nowhere, and is text like a skill is. */
export const BODY = `---\nname: crash\n---\n${"Do the next thing.\n".repeat(60)}`;
export const DIGEST = sha256Hex(BODY);
export const OTHER_ACTION = sha256Hex("another action");

/** An empty root of mode 0700 that goes away with the test. */
export function makeRoot(): string {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-real-"));
  onTestFinished(() => {
    rmSync(root, { recursive: true, force: true });
  });
  return root;
}

/** Publishes BODY under the action of a plain put. */
export function publishJob(root: string, more: Partial<Job> = {}): Job {
  return { root, operation: "publish", bodies: [BODY], actionDigest: PUT_ACTION_DIGEST, ...more };
}

/** Only looks, and finishes what it finds. */
export function reconcileJob(root: string, more: Partial<Job> = {}): Job {
  return { ...publishJob(root, more), operation: "reconcile" };
}

/** Finishes everything of the content, the stages of other actions too: what sweep does with it. */
export function recoverJob(root: string, more: Partial<Job> = {}): Job {
  return { ...publishJob(root, more), operation: "recover" };
}

/** Finishes what a crash left, as the sweep of a store does. */
export function sweepJob(root: string, more: Partial<Job> = {}): Job {
  return { ...publishJob(root, more), operation: "sweep" };
}

/** A second content, where a job stores several. */
export const SECOND_BODY = "---\nname: second\n---\nDo something else.\n";

/** Stores BODY and SECOND_BODY with one directory sync. */
export function putManyJob(root: string, more: Partial<Job> = {}): Job {
  return { ...publishJob(root, more), operation: "putMany", bodies: [BODY, SECOND_BODY] };
}

/** Makes the random id of the root, as the first opening does. */
export function rootIdJob(root: string, more: Partial<Job> = {}): Job {
  return { ...publishJob(root, more), operation: "rootId" };
}

/** Moves what is in conflict out of the way. */
export function quarantineJob(root: string, more: Partial<Job> = {}): Job {
  return { ...publishJob(root, more), operation: "quarantine" };
}

/** What somebody else left at the name of the object. */
export const FOREIGN = "what somebody else left at the name of the object\n";

/** Puts other bytes at the name of the object. */
export function placeForeign(root: string): void {
  write(root, DIGEST, FOREIGN);
}

/** What earlier crashes can have left in a root; each is a way to make it. */
export const LEFTOVERS: Readonly<Record<string, (root: string) => void>> = {
  nothing: () => undefined,
  "an empty stage": (root) => {
    write(root, stageName(DIGEST, PUT_ACTION_DIGEST), "");
  },
  "half a stage": (root) => {
    write(root, stageName(DIGEST, PUT_ACTION_DIGEST), BODY.slice(0, 100));
  },
  "a whole stage": (root) => {
    write(root, stageName(DIGEST, PUT_ACTION_DIGEST), BODY);
  },
  "whole and broken stages of several actions": (root) => {
    write(root, stageName(DIGEST, PUT_ACTION_DIGEST), BODY);
    write(root, stageName(DIGEST, OTHER_ACTION), BODY);
    write(root, stageName(DIGEST, sha256Hex("a third action")), BODY.slice(5));
  },
  "an object that is still linked to its stage": (root) => {
    write(root, DIGEST, BODY);
    linkSync(join(root, DIGEST), join(root, stageName(DIGEST, PUT_ACTION_DIGEST)));
  },
  "an object and a stage of another action": (root) => {
    write(root, DIGEST, BODY);
    write(root, stageName(DIGEST, OTHER_ACTION), BODY);
  },
  "the object": (root) => {
    write(root, DIGEST, BODY);
  },
};

function write(root: string, name: string, text: string): void {
  writeFileSync(join(root, name), text, { flag: "wx" });
  chmodSync(join(root, name), 0o600);
}

/** Whether the bytes of BODY are somewhere in the root, whole: from then on nothing may lose them. */
export function holdsBody(root: string): boolean {
  return readdirSync(root)
    .filter((name) => parseEntryName(name).kind !== "other")
    .some((name) => readIfRegular(join(root, name)) === BODY);
}

function readIfRegular(path: string): string | undefined {
  return lstatSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
}

/** What must hold at every instant: what stands at the name of an object is that object, or what was put there before. */
export function expectNoFalseObject(root: string, mayBeForeign = false): void {
  for (const name of readdirSync(root)) {
    if (parseEntryName(name).kind !== "object") continue;
    if (mayBeForeign && readFileSync(join(root, name), "utf8") === FOREIGN) continue;
    expect(sha256Hex(readFileSync(join(root, name))), name).toBe(name);
    expect(lstatSync(join(root, name)).mode & 0o7777, name).toBe(0o600);
  }
}

/** What must hold when everything is done: the objects at rest, their locks, and nothing else. */
export function expectAtRest(root: string, digests: readonly string[] = [DIGEST]): void {
  expectNoFalseObject(root);
  for (const digest of digests) expect(lstatSync(join(root, digest)).nlink).toBe(1);
  const expected = new Set([lockName(DIGEST), ...digests.flatMap((digest) => [digest, lockName(digest)])]);
  expect(readdirSync(root).filter((name) => !expected.has(name))).toEqual([]);
  for (const name of readdirSync(root)) expect(lstatSync(join(root, name)).mode & 0o7777, name).toBe(0o600);
}
