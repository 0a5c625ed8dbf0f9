import {
  type SimulatedDisk,
  type SimulatedErrnoName,
  SimulatedProcess,
  SimulatedSystemError,
} from "@mesh/testkit/simulated-disk";
import type { Effect, Step, StepResult, Steps } from "../../src/effects.ts";
import { effectFailed, SkillCasError } from "../../src/error.ts";
import { type Interpreter, performEffect } from "../../src/interpreters/run.ts";
import { type Look, looksOwn } from "./foreign.ts";
import { createSimulatedInterpreter, OWNER } from "./interpreter.ts";
import { type Content, type Job, type Said, stepsOfJob } from "./jobs.ts";

/** What an actor came to. */
export type Ending =
  | { readonly kind: "returned"; readonly said: readonly Said[] }
  | { readonly kind: "failed"; readonly error: SkillCasError };

/** One process with one job, advanced one effect at a time, so that anything can happen between any two. */
export class Actor {
  readonly job: Job;
  /** Waits for a lock that somebody else holds. */
  waiting = false;
  /** Whether an effect of it was made to fail: then it may report any error. */
  faulted = false;
  ending: Ending | undefined;
  /** What it saw at a name when it looked last, and the effects it has performed. */
  readonly looks = new Map<string, Look>();
  readonly effects: Effect[] = [];
  readonly #process: SimulatedProcess;
  readonly #interpreter: Interpreter;
  readonly #steps: Steps<readonly Said[]>;
  #next: IteratorResult<Step, readonly Said[]> | undefined;
  #fault: SimulatedErrnoName | undefined;
  #directoryError = false;
  #failedSync = false;

  constructor(disk: SimulatedDisk, name: string, job: Job, contents: readonly Content[], umask: number) {
    this.job = job;
    // Contents are a few bytes, records of a quarantine hundreds: both take more than one write, and not many.
    const writeBytesMax = job.kind === "quarantine" ? 400 : 2;
    this.#process = new SimulatedProcess(disk, { name, owner: OWNER, umask, writeBytesMax });
    this.#interpreter = createSimulatedInterpreter(disk, this.#process);
    this.#steps = stepsOfJob(job, contents);
    this.#advance(() => this.#steps.next());
  }

  /** The effect that it performs next; undefined while it waits and once it is done. */
  get next(): Effect | undefined {
    const step = this.#next?.done === false ? this.#next.value : undefined;
    return step === undefined || step.kind === "pause" || step.kind === "loadBody" ? undefined : step;
  }

  /** Its next effect fails with this errno. */
  fail(errno: SimulatedErrnoName): void {
    this.#fault = errno;
  }

  /**
   * A sync of the directory failed for somebody else. The kernel tells everybody who has it open at his own next sync, once
   * (Linux, errseq): only who opens it later knows nothing.
   */
  learnOfFailedSync(): void {
    this.#directoryError = true;
  }

  /** Whether the last effect was a sync of the directory that failed here first. */
  get failedToSyncDirectory(): boolean {
    return this.#failedSync;
  }

  /** Performs one effect, or lets a pause pass. */
  step(): void {
    const state = this.#next;
    if (state === undefined || state.done === true) return;
    const step = state.value;
    if (step.kind === "loadBody") throw new TypeError("a simulated actor has its body at hand");
    this.waiting = step.kind === "pause";
    if (step.kind === "pause") {
      this.#advance(() => this.#steps.next(undefined));
      return;
    }
    let result: StepResult;
    try {
      result = this.#perform(step);
    } catch (cause) {
      this.#advance(() => this.#steps.throw(effectFailed(step, cause)));
      return;
    }
    this.#advance(() => this.#steps.next(result));
  }

  /** The process is gone, and its locks with it. */
  die(): void {
    this.#next = undefined;
    this.#process.die();
  }

  #perform(effect: Effect): StepResult {
    this.effects.push(effect);
    const told = effect.kind === "syncDirectory" && this.#directoryError;
    const errno = this.#fault ?? (told ? "EIO" : undefined);
    this.#failedSync = effect.kind === "syncDirectory" && this.#fault !== undefined;
    if (told) this.#directoryError = false;
    this.#fault = undefined;
    if (errno !== undefined) {
      this.faulted = true;
      if (effect.kind === "syncFile") this.#process.failToSyncFile(effect.handle);
      if (effect.kind === "syncDirectory") this.#process.failToSyncDirectory(effect.directory);
      if (effect.kind === "close") this.#process.close(effect.handle);
      throw new SimulatedSystemError(errno, effect.kind, "");
    }
    const result = performEffect(this.#interpreter, effect);
    if (effect.kind === "stat") {
      this.#look(effect.name);
    }
    return result;
  }

  #look(name: string): void {
    const inode = this.#process.disk.lookUp(name);
    if (inode === undefined) this.looks.delete(name);
    else this.looks.set(name, { inode: inode.number, looksOwn: looksOwn(inode, name) });
  }

  #advance(resume: () => IteratorResult<Step, readonly Said[]>): void {
    try {
      this.#next = resume();
      if (this.#next.done === true) this.#end({ kind: "returned", said: this.#next.value });
    } catch (error) {
      if (!(error instanceof SkillCasError)) throw error;
      this.#end({ kind: "failed", error });
    }
  }

  #end(ending: Ending): void {
    this.ending = ending;
    this.die();
  }
}
