import { afterPowerLoss, everyPowerLoss, type SimulatedDisk } from "@mesh/testkit/simulated-disk";
import type { Address } from "../../src/address.ts";
import type { Effect, Steps } from "../../src/effects.ts";
import { FILE_MODE, parseEntryName, stageName } from "../../src/layout.ts";
import { withContentLock } from "../../src/lock.ts";
import { reconcile } from "../../src/publish.ts";
import { recover } from "../../src/recover.ts";
import type { Outcome } from "../../src/seal.ts";
import { type AttemptOptions, attempt } from "./attempt.ts";
import { fingerprint } from "./fingerprint.ts";
import { OWNER } from "./interpreter.ts";
import { isSafe, survives } from "./survives.ts";

/** What is explored. */
export interface ExploreOptions {
  readonly address: Address;
  readonly bytes: Uint8Array;
  /** Action whose fresh handle recovers. */
  readonly actionDigest: string;
  /** The algorithm that is interrupted first. */
  readonly first: () => Steps<Outcome>;
  readonly initial: SimulatedDisk;
  readonly umask: number;
  /** Most deaths and failed syncs on one way. */
  readonly interruptionsMax: number;
  /** Most power cuts on one way. */
  readonly powerCutsMax: number;
  /** Whether single syncs may fail. */
  readonly syncsFail: boolean;
  readonly leaveOut?: AttemptOptions["leaveOut"];
  /** Whether somebody put an object here that a power cut may break: then a conflict is right, until it is promised. */
  readonly foreignObject?: boolean;
}

/** What the handles have said so far: the strongest promise that was made. */
type Promised = "nothing" | "exact" | "absent";

interface State {
  readonly disk: SimulatedDisk;
  readonly promised: Promised;
  /** Whether, before recovery began, every power cut left something that recovery publishes. */
  readonly secured: boolean;
  readonly interruptions: number;
  readonly powerCuts: number;
  readonly path: readonly string[];
}

/** What an exploration found: the states it saw, and the first promise that was broken, with the way to it. */
export interface Exploration {
  readonly states: number;
  readonly recoveries: number;
  readonly broken: { readonly promise: string; readonly path: readonly string[] } | undefined;
}

class Broken extends Error {
  readonly path: readonly string[];

  constructor(promise: string, path: readonly string[]) {
    super(promise);
    this.path = path;
  }
}

/**
 * Visits every state that crashes, power cuts and failed syncs can lead to from one run of an algorithm, and recovers
 * from each. A breadth-first search over disks: two ways to the same disk are followed once.
 */
export function explore(options: ExploreOptions): Exploration {
  const explorer = new Explorer(options);
  try {
    explorer.run();
    return { ...explorer.counts(), broken: undefined };
  } catch (error) {
    if (error instanceof Broken) {
      return { ...explorer.counts(), broken: { promise: error.message, path: error.path } };
    }
    throw error;
  }
}

class Explorer {
  readonly #options: ExploreOptions;
  readonly #seen = new Set<string>();
  readonly #queue: State[] = [];
  #recoveries = 0;

  constructor(options: ExploreOptions) {
    this.#options = options;
  }

  counts(): { states: number; recoveries: number } {
    return { states: this.#seen.size, recoveries: this.#recoveries };
  }

  run(): void {
    const { initial, first } = this.#options;
    this.#interruptEverywhere(
      { disk: initial, promised: "nothing", secured: false, interruptions: 0, powerCuts: 0, path: ["begin"] },
      "first",
      first,
    );
    for (let state = this.#queue.shift(); state !== undefined; state = this.#queue.shift()) {
      this.#powerCuts(state);
      const secured = state.secured || this.#isSecure(state.disk);
      const { address, actionDigest } = this.#options;
      this.#interruptEverywhere({ ...state, secured }, "reconcile", () => reconcile(address, actionDigest, "wait"));
      this.#interruptEverywhere({ ...state, secured }, "recover", () =>
        withContentLock(address, "wait", () => recover(address)),
      );
    }
  }

  /** One whole run, and one for each point at which it can die or a sync of it can fail. */
  #interruptEverywhere(state: State, name: string, algorithm: () => Steps<Outcome>): void {
    const whole = this.#attempt(state, name, algorithm, {});
    if (state.interruptions >= this.#options.interruptionsMax) {
      return;
    }
    for (let dieAfter = 0; dieAfter < whole.effects; dieAfter += 1) {
      this.#attempt(state, `${name} dies after ${dieAfter}`, algorithm, { dieAfter });
    }
    for (let failSync = 0; this.#options.syncsFail && failSync < whole.syncs; failSync += 1) {
      this.#attempt(state, `${name} fails sync ${failSync}`, algorithm, { failSync });
    }
  }

  #attempt(
    state: State,
    name: string,
    algorithm: () => Steps<Outcome>,
    interruption: Pick<AttemptOptions, "dieAfter" | "failSync">,
  ): { effects: number; syncs: number } {
    const { umask, leaveOut } = this.#options;
    const disk = state.disk.clone();
    const result = attempt(disk, algorithm(), { umask, leaveOut, ...interruption });
    this.#recoveries += 1;
    const path = [...state.path, `${name}: ${lastOf(result.effects)}`];
    if (result.kind === "returned") {
      const promised = this.#promise(state, disk, result.value, [...path, `returned ${result.value.state}`]);
      this.#visit({ ...state, disk, promised, path: [...path, `returned ${result.value.state}`] });
    } else {
      if (result.kind === "failed" && interruption.failSync === undefined) {
        throw new Broken(`recovery fails with nothing wrong: ${String(result.error)}`, path);
      }
      this.#visit({ ...state, disk, interruptions: state.interruptions + 1, path });
    }
    this.#staySecured(state, disk, path);
    return { effects: result.effects.length, syncs: result.effects.filter(isSync).length };
  }

  /** Checks what a handle says against what is there, and against what was said before. */
  #promise(state: State, disk: SimulatedDisk, outcome: Outcome, path: readonly string[]): Promised {
    switch (outcome.state) {
      case "conflict":
        if (this.#options.foreignObject === true && state.promised !== "exact") {
          return state.promised;
        }
        throw new Broken(`a crash became a conflict: ${JSON.stringify(outcome.reason)}`, path);
      case "absent":
        if (state.promised === "exact") {
          throw new Broken("what was reported durable is lost", path);
        }
        return "absent";
      case "exact":
        if (!this.#isExact(disk)) {
          throw new Broken("a false exact", path);
        }
        this.#checkTidy(disk, path);
        if (state.promised === "absent") {
          throw new Broken("what was proven absent is there", path);
        }
        return "exact";
    }
  }

  /** A recovery leaves no stage of anybody; a handle that found the object finished leaves none of its own. */
  #checkTidy(disk: SimulatedDisk, path: readonly string[]): void {
    const own = stageName(this.#options.address.digest, this.#options.actionDigest);
    const listed = path.at(-2)?.startsWith("recover:") === true;
    const left = [...disk.names.keys()].filter((name) => parseEntryName(name).kind === "stage");
    if (left.includes(own) || (listed && left.length > 0)) {
      throw new Broken("recovery left a stage", path);
    }
  }

  #isExact(disk: SimulatedDisk): boolean {
    const inode = disk.lookUp(this.#options.address.digest);
    const status = inode === undefined ? undefined : disk.status(inode);
    return (
      inode !== undefined &&
      status?.kind === "regular" &&
      status.owner === OWNER &&
      status.mode === FILE_MODE &&
      status.linkCount === 1 &&
      Buffer.from(inode.bytes).equals(this.#options.bytes)
    );
  }

  #powerCuts(state: State): void {
    if (state.powerCuts >= this.#options.powerCutsMax) {
      return;
    }
    for (const loss of everyPowerLoss(state.disk)) {
      const disk = afterPowerLoss(state.disk, loss);
      const left = [...disk.names.keys()].map((name) => (name.startsWith(".") ? "stage" : name.slice(0, 6))).join(" ");
      this.#visit({
        ...state,
        disk,
        powerCuts: state.powerCuts + 1,
        path: [...state.path, `power cut leaves ${left}`],
      });
    }
  }

  /** Once every power cut leaves something to publish, no step of a recovery may change that. */
  #staySecured(state: State, disk: SimulatedDisk, path: readonly string[]): void {
    if (state.secured && !this.#isSecure(disk)) {
      throw new Broken("recovery put at risk what was safe before it", path);
    }
  }

  #isSecure(disk: SimulatedDisk): boolean {
    const { bytes } = this.#options;
    return [...disk.durableNames.keys()].some(
      (key) =>
        ["object", "stage"].includes(parseEntryName(key).kind) && survives(disk, key, (inode) => isSafe(inode, bytes)),
    );
  }

  #visit(state: State): void {
    const key = `${state.promised} ${state.secured} ${state.interruptions} ${state.powerCuts}\n${fingerprint(state.disk)}`;
    if (!this.#seen.has(key)) {
      this.#seen.add(key);
      this.#queue.push(state);
    }
  }
}

function isSync(effect: Effect): boolean {
  return effect.kind === "syncFile" || effect.kind === "syncDirectory";
}

function lastOf(effects: readonly Effect[]): string {
  return effects.at(-1)?.kind ?? "nothing";
}
