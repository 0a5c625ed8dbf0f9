import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPinnedDirectory, type PinnedDirectory, type PinnedFile } from "@mesh/ffi/fs";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Effect, Steps } from "../../src/effects.ts";
import { Run, runBlocking } from "../../src/interpreters/run.ts";
import { createSyncInterpreter } from "../../src/interpreters/sync.ts";
import { lockName, sha256Hex } from "../../src/layout.ts";
import { putSteps } from "../../src/store/request.ts";
import { sweepContent } from "../../src/sweep.ts";
import { failureOf } from "../failure.ts";
import { failingInterpreter } from "../faults/interpose.ts";

const BODY = new TextEncoder().encode("# a skill\n");
const DIGEST = sha256Hex(BODY);
const LOCK = lockName(DIGEST);

let root: string;
let directory: PinnedDirectory;

beforeEach(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-lock-"));
  directory = openPinnedDirectory(root);
  onTestFinished(() => {
    directory.close();
    rmSync(root, { recursive: true, force: true });
  });
});

/** Runs an algorithm and closes nothing that it leaves open. */
function run<T>(steps: Steps<T>, onEffect: (effect: Effect) => void = () => undefined): T {
  return runBlocking(
    new Run(steps, createSyncInterpreter(directory), ({ effect }) => {
      onEffect(effect);
    }),
  );
}

function store(): Parameters<typeof sweepContent>[0] {
  const { device, inode } = directory.status();
  return { owner: process.geteuid?.() ?? 0, root: { device, inode } };
}

/** Does something once, after the first effect of a kind. */
function afterFirst(kind: Effect["kind"], act: () => void): (effect: Effect) => void {
  let done = false;
  return (effect) => {
    if (done || effect.kind !== kind) return;
    done = true;
    act();
  };
}

describe("the content lock", () => {
  it.each(["createLock", "lock"] as const)("that lost its name to another after %s does not count", (kind) => {
    let other: PinnedFile | undefined;
    onTestFinished(() => {
      other?.close();
    });
    const swept = run(
      sweepContent(store(), DIGEST),
      // What a sweep and the next publisher do: the lock file goes while it is held, and a new one is made and held.
      afterFirst(kind, () => {
        rmSync(join(root, LOCK));
        other = directory.openOrCreateLock(LOCK);
        expect(other.tryLock()).toBe(true);
      }),
    );
    expect(swept).toEqual({ digest: DIGEST, state: "busy" });
  });

  it("is let go where the algorithm fails, at once and not with the process", async () => {
    const disk = failingInterpreter(createSyncInterpreter(directory), ({ kind }) =>
      kind === "create" ? "ENOSPC" : undefined,
    );
    const put = (): unknown => runBlocking(new Run(putSteps(store(), BODY, "try"), disk));
    expect(await failureOf(put)).toMatchObject({ code: "EFFECT_FAILED", facts: { effect: "create" } });
    using lock = directory.openOrCreateLock(LOCK);
    expect(lock.tryLock()).toBe(true);
  });

  it("is not waited for where others are held meanwhile", async () => {
    using held = directory.openOrCreateLock(LOCK);
    expect(held.tryLock()).toBe(true);
    expect(await failureOf(() => run(putSteps(store(), BODY, "try")))).toMatchObject({ code: "LOCK_BUSY" });
  });
});
