import { openPinnedDirectory, type PinnedDirectory } from "@mesh/ffi/fs";
import type { Address, StoreIdentity } from "../../src/address.ts";
import { inStep } from "../../src/batch.ts";
import { type ChangingEffect, type Effect, isChanging, type Steps } from "../../src/effects.ts";
import { SkillCasError } from "../../src/error.ts";
import { Run, runBlocking } from "../../src/interpreters/run.ts";
import { createSyncInterpreter } from "../../src/interpreters/sync.ts";
import { sha256Hex } from "../../src/layout.ts";
import { withContentLock } from "../../src/lock.ts";
import { publish, reconcile } from "../../src/publish.ts";
import { recover } from "../../src/recover.ts";
import { quarantineContent } from "../../src/quarantine.ts";
import { rootId } from "../../src/root/root-id.ts";
import type { Outcome } from "../../src/seal.ts";
import { putSteps } from "../../src/store/request.ts";
import { StoreSession } from "../../src/store/session.ts";
import { type Swept, sweepContent } from "../../src/sweep.ts";

/** When a job quarantines: the names of what is moved are made from it, and a tracer is told them beforehand. */
const QUARANTINED_AT = "2026-01-02T03:04:05.678Z";

/** The start of the names of what a job quarantines. */
export function quarantineStem(digest: string, tag = "00000001"): string {
  return `${digest}-${QUARANTINED_AT.replaceAll(/[:.]/g, "")}-${tag}`;
}

/** One content and what is done with it. */
export interface Job {
  readonly root: string;
  readonly operation: "publish" | "reconcile" | "recover" | "sweep" | "quarantine" | "putMany" | "rootId" | "open";
  readonly bodies: readonly string[];
  /** Names the stage. */
  readonly actionDigest: string;
  /** Ends the process, as a crash would, right after the n-th changing effect, counted from 1. */
  readonly killAfter?: number;
  /** Keeps a second quarantine of the same content apart from the first. */
  readonly tag?: string;
  /** Whether a missing root is made. */
  readonly create?: boolean;
  /** User id to work as: only root may change to another one. */
  readonly user?: number;
  /** How often the job is done from a fresh handle, whatever came of the time before. */
  readonly times?: number;
}

/** A job that is done content by content. */
type AloneJob = Job & { readonly operation: Exclude<Job["operation"], "putMany" | "open"> };

function isAlone(job: Job): job is AloneJob {
  return job.operation !== "putMany" && job.operation !== "open";
}

/** What came of one attempt. */
export type Attempt =
  | { readonly state: "exact" | "absent" | "conflict" | "busy" | "quarantined"; readonly reason?: string }
  | { readonly state: "failed"; readonly code: string; readonly facts: SkillCasError["facts"] };

/** What the program prints. */
export interface Report {
  readonly changing: readonly { readonly kind: ChangingEffect["kind"]; readonly name?: string }[];
  readonly attempts: readonly Attempt[];
}

function* operate(
  operation: Exclude<AloneJob["operation"], "quarantine" | "rootId">,
  actionDigest: string,
  address: Address,
  bytes: Uint8Array,
): Steps<Outcome | Swept> {
  switch (operation) {
    case "publish":
      return (yield* publish(address, { actionDigest, patience: "wait", body: bytes })).outcome;
    case "reconcile":
      return yield* reconcile(address, actionDigest, "wait");
    case "sweep":
      return yield* sweepContent(address.store, address.digest);
    case "recover":
      return yield* withContentLock(address, "wait", () => recover(address));
  }
}

/** Runs the algorithms on the root as the store does, with an observer that counts effects. */
export function performJob(job: Job, onChange?: (effect: ChangingEffect) => void): Report {
  if (job.user !== undefined) process.seteuid?.(job.user);
  const changing: Report["changing"][number][] = [];
  const onEffect = ({ effect }: { readonly effect: Effect }): void => {
    if (!isChanging(effect)) return;
    changing.push({ kind: effect.kind, ...("name" in effect ? { name: effect.name } : {}) });
    onChange?.(effect);
    if (changing.length === job.killAfter) process.kill(process.pid, "SIGKILL");
  };
  const attempts: Attempt[] = [];
  for (let time = 0; time < (job.times ?? 1); time += 1) {
    using directory = openPinnedDirectory(job.root, { create: job.create ?? false });
    if (isAlone(job)) for (const body of job.bodies) attempts.push(attempt(directory, job, body, onEffect));
    else if (job.operation === "putMany") attempts.push(...putTogether(directory, job, onEffect));
    else attempts.push(openStore(job.root));
  }
  return { changing, attempts };
}

function attempt(
  directory: PinnedDirectory,
  job: AloneJob,
  body: string,
  onEffect: (completed: { readonly effect: Effect }) => void,
): Attempt {
  const interpreter = createSyncInterpreter(directory);
  try {
    return runBlocking(new Run(steps(directory, job, body), interpreter, onEffect));
  } catch (error) {
    return failed(error);
  } finally {
    interpreter.closeAll();
  }
}

/** Opens a store as a program does; the effects of opening are not observed. */
function openStore(root: string): Attempt {
  try {
    StoreSession.open({ root, create: false }).close();
    return { state: "exact" };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Attempt {
  if (error instanceof SkillCasError) return { state: "failed", code: error.code, facts: error.facts };
  throw error;
}

/** All bodies in one batch, as putMany does with those whose locks are free. */
function putTogether(
  directory: PinnedDirectory,
  job: Job,
  onEffect: (completed: { readonly effect: Effect }) => void,
): readonly Attempt[] {
  const interpreter = createSyncInterpreter(directory);
  const store = storeOf(directory);
  try {
    const puts = job.bodies.map((body) => putSteps(store, Buffer.from(body), "try"));
    return runBlocking(new Run(inStep(puts), interpreter, onEffect)).map((settled) =>
      settled.kind === "returned" ? { state: "exact" } : failed(settled.error),
    );
  } finally {
    interpreter.closeAll();
  }
}

function storeOf(directory: PinnedDirectory): StoreIdentity {
  const { device, inode } = directory.status();
  return { owner: process.geteuid?.() ?? 0, root: { device, inode } };
}

function* steps(directory: PinnedDirectory, job: AloneJob, body: string): Steps<Attempt> {
  const bytes = Buffer.from(body);
  const store = storeOf(directory);
  const address: Address = { store, digest: sha256Hex(bytes), size: bytes.length };
  if (job.operation === "rootId") {
    yield* rootId(store);
    return { state: "exact" };
  }
  if (job.operation === "quarantine") {
    yield* quarantineContent(store, {
      digest: address.digest,
      reason: "a test found it",
      at: QUARANTINED_AT,
      tag: job.tag ?? "00000001",
    });
    return { state: "quarantined" };
  }
  const outcome = yield* operate(job.operation, job.actionDigest, address, bytes);
  return outcome.state === "conflict" ? { state: "conflict", reason: outcome.reason.code } : { state: outcome.state };
}
