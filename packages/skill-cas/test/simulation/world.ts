import { afterPowerLoss, type PowerLoss, SimulatedDisk, type SimulatedErrnoName } from "@mesh/testkit/simulated-disk";
import { inspect } from "node:util";
import { FILE_MODE, parseEntryName, sha256Hex } from "../../src/layout.ts";
import { Actor } from "./actor.ts";
import { OWNER } from "./interpreter.ts";
import type { Content, Job, Said } from "./jobs.ts";
import { checkForeign, type Foreign, snapshot } from "./foreign.ts";
import { isSafe, survives } from "./survives.ts";

/** A promise that was broken. */
export class Broken extends Error {}

/** More effects than any job needs: an algorithm that does not end. */
const STEPS_MAX = 20_000;

/** How a world is made. */
export interface WorldOptions {
  readonly contents: readonly Content[];
  readonly disk?: SimulatedDisk;
  /** Whether somebody ignores the locks: then only safety is claimed. */
  readonly lawless?: boolean;
}

/** A disk, everybody who works on it, and what was promised so far. Every promise is checked after every effect. */
export class World {
  disk: SimulatedDisk;
  actors: Actor[] = [];
  readonly contents: readonly Content[];
  readonly lawless: boolean;
  /** Digests that somebody reported durable. */
  readonly promised = new Set<string>();
  /** What was put here by somebody without the protocol. */
  readonly foreign: Foreign = new Map();
  /** Since an actor last opened the object: was there an instant at which it was truly there? */
  readonly #trueSince = new Map<Actor, Set<string>>();
  /** Of each actor: the objects that were promised already when it last looked for them. */
  readonly #promisedWhenLooked = new Map<Actor, Map<string, boolean>>();
  #steps = 0;
  #started = 0;

  constructor({ contents, disk, lawless }: WorldOptions) {
    this.contents = contents;
    this.disk = disk ?? new SimulatedDisk();
    this.lawless = lawless ?? false;
    for (const inode of this.disk.inodes.values()) this.foreign.set(inode.number, snapshot(inode));
  }

  /** Somebody begins a job. */
  start(job: Job, umask = 0o022): Actor {
    const actor = new Actor(this.disk, `process ${this.#started}`, job, this.contents, umask);
    this.#started += 1;
    this.actors.push(actor);
    this.#trueSince.set(actor, new Set());
    this.#promisedWhenLooked.set(actor, new Map());
    return actor;
  }

  /** One actor performs one effect. */
  step(actor: Actor): void {
    if (actor.ending !== undefined) return;
    this.#steps += 1;
    if (this.#steps > STEPS_MAX) throw new Broken("an algorithm does not end");
    const effect = actor.next;
    const before = new Map(this.disk.names);
    actor.step();
    if (actor.failedToSyncDirectory) {
      for (const other of this.actors) if (other !== actor) other.learnOfFailedSync();
    }
    if (effect?.kind === "open" || effect?.kind === "stat") {
      this.#promisedWhenLooked.get(actor)?.set(effect.name, this.promised.has(effect.name));
    }
    if (effect?.kind === "open") this.#trueSince.get(actor)?.delete(effect.name);
    checkForeign(this.disk, before, this.foreign, effect, actor);
    this.look();
    if (this.#endedNow(actor)) this.#judge(actor);
  }

  /** Lets everybody finish, in turn; whoever waits for a lock lets the others go first. */
  finish(): void {
    for (;;) {
      const alive = this.actors.filter((actor) => actor.ending === undefined);
      if (alive.length === 0) break;
      const ready = alive.filter((actor) => !actor.waiting);
      for (const actor of ready.length === 0 ? alive : ready) this.step(actor);
      for (const actor of alive) if (ready.length > 0 && actor.waiting) this.step(actor);
    }
    this.actors = [];
  }

  /** A process dies between two effects. */
  kill(actor: Actor): void {
    actor.die();
    this.actors = this.actors.filter((other) => other !== actor);
  }

  /** The next effect of an actor fails. */
  fail(actor: Actor, errno: SimulatedErrnoName): void {
    actor.fail(errno);
  }

  /** The power goes: everybody dies, and what was not synced is as the loss says. */
  cutPower(loss: PowerLoss): void {
    for (const actor of this.actors) actor.die();
    this.actors = [];
    this.disk = afterPowerLoss(this.disk, loss);
    for (const [number, foreign] of this.foreign) {
      // What he did not sync is as the loss says, for him as for everybody.
      this.foreign.set(number, { ...foreign, ...snapshot(this.disk.inode(number), foreign.digest, foreign.durable) });
      if (!this.lawless && foreign.durable && ![...this.disk.names.values()].includes(number)) {
        throw new Broken("a power cut takes what somebody else had on the disk for long");
      }
    }
    this.look();
  }

  /** What a fresh handle does with everything: one pass must finish, and a second find nothing to do. */
  recoverAll(): void {
    const sweepAll = (): void => {
      for (const [content] of this.contents.entries()) {
        this.start({ kind: "sweep", content, action: 0, patience: "try" });
        this.finish();
      }
    };
    sweepAll();
    const names = [...this.disk.names.keys()];
    const left = names.filter((name) => parseEntryName(name).kind === "stage");
    if (!this.lawless && left.length > 0) throw new Broken(`one pass of recovery leaves ${left.join(" ")}`);
    const state = this.#visible();
    sweepAll();
    if (this.#visible() !== state) throw new Broken("a second pass of recovery still changes something");
  }

  /** The promises that hold at every instant. */
  look(): void {
    for (const { address, bytes } of this.contents) {
      if (this.#isTrue(address.digest, bytes)) {
        for (const since of this.#trueSince.values()) since.add(address.digest);
      }
      if (this.lawless) continue;
      const object = this.disk.lookUp(address.digest);
      if (object !== undefined && !this.foreign.has(object.number) && !sameBytes(object.bytes, bytes)) {
        throw new Broken("an object has its name before its bytes");
      }
      if (this.promised.has(address.digest) && !survives(this.disk, address.digest, (inode) => isSafe(inode, bytes))) {
        throw new Broken("a power cut can take what was reported durable");
      }
    }
  }

  #isTrue(digest: string, bytes: Uint8Array): boolean {
    const inode = this.disk.lookUp(digest);
    return (
      inode?.kind === "regular" &&
      inode.owner === OWNER &&
      inode.mode === FILE_MODE &&
      this.disk.status(inode).linkCount === 1 &&
      sameBytes(inode.bytes, bytes)
    );
  }

  #endedNow(actor: Actor): boolean {
    return actor.ending !== undefined;
  }

  #judge(actor: Actor): void {
    const { ending } = actor;
    const since = this.#trueSince.get(actor);
    const looked = this.#promisedWhenLooked.get(actor);
    this.#trueSince.delete(actor);
    this.#promisedWhenLooked.delete(actor);
    if (ending?.kind === "returned") {
      for (const said of ending.said) this.#judgeSaid(actor, said, since ?? new Set(), looked ?? new Map());
    } else if (ending !== undefined && !this.#mayFail(actor, ending.error.code)) {
      throw new Broken(`${actor.job.kind} fails with nothing wrong: ${ending.error.code} ${ending.error.message}`);
    }
  }

  #judgeSaid(actor: Actor, said: Said, since: ReadonlySet<string>, looked: ReadonlyMap<string, boolean>): void {
    if (said.state === "exact") {
      if (said.bytes !== undefined && sha256Hex(said.bytes) !== said.digest) throw new Broken("exact with wrong bytes");
      if (!since.has(said.digest)) throw new Broken("a false exact");
      if (said.durable && !this.lawless) {
        this.promised.add(said.digest);
        this.look();
      }
    }
    const mayConflict = this.#isSpoiled(said.digest) || (actor.job.kind === "check" && this.#isUnfinished(said.digest));
    if (said.state === "conflict" && !this.lawless && !mayConflict) {
      throw new Broken(`${actor.job.kind} sees a conflict where there is none: ${inspect(said.why)}`);
    }
    if (said.state === "failed" && !this.lawless && !actor.faulted && !isBusy(said.why)) {
      if (!this.#isSpoiled(said.digest))
        throw new Broken(`a put of a batch fails with nothing wrong: ${String(said.why)}`);
    }
    // What was put after somebody's last look, and reported before he was done, he rightly calls absent.
    if (said.state === "absent" && !this.lawless && (looked.get(said.digest) ?? this.promised.has(said.digest))) {
      throw new Broken("what was reported durable is said to be absent");
    }
  }

  #mayFail(actor: Actor, code: string): boolean {
    const digest = this.contents[actor.job.content % this.contents.length]?.address.digest ?? "";
    const expected =
      (code === "LOCK_BUSY" && actor.job.patience === "try") ||
      (code === "OBJECT_MISSING" && actor.job.kind === "read" && !this.promised.has(digest)) ||
      (code === "NOTHING_TO_QUARANTINE" && actor.job.kind === "quarantine") ||
      (code === "OBJECT_CONFLICT" && this.#isSpoiled(digest));
    return this.lawless || actor.faulted || expected;
  }

  /** Whether somebody without the protocol put something at a name of this content. */
  #isSpoiled(digest: string): boolean {
    return [...this.foreign.values()].some((foreign) => foreign.digest === digest);
  }

  /** Whether a crash or failure left the object with a stage for its second name: a verification only reports that. */
  #isUnfinished(digest: string): boolean {
    const object = this.disk.names.get(digest);
    return [...this.disk.names].some(([key, inode]) => inode === object && parseEntryName(key).kind === "stage");
  }

  #visible(): string {
    return [...this.disk.names]
      .map(([key, number]) => `${key}=${sha256Hex(this.disk.inode(number).bytes)}${this.disk.inode(number).mode}`)
      .sort()
      .join("\n");
  }
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.from(left).equals(right);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, "code") === "LOCK_BUSY";
}
