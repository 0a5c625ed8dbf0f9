import fc from "fast-check";
import { expect } from "vitest";
import { createConsentGuard, createConsentPolicy } from "../../src/index.ts";
import { SCOPE } from "../support/bench.ts";
import { Crash, Incarnation } from "./incarnation.ts";
import type { Reference } from "./reference.ts";
import { NAMES, outcomeOf, type System } from "./system.ts";

type Command = fc.AsyncCommand<Reference, System>;

/** One step for both: `real` and `model` must come to the same, or both die at the same boundary. */
class Step implements Command {
  constructor(
    private readonly label: string,
    private readonly dieAfter: number,
    private readonly real: (system: System, reference: Reference) => Promise<string>,
    private readonly model: (reference: Reference, boundary: () => void, system: System) => string,
  ) {}

  check(): boolean {
    return true;
  }

  async run(reference: Reference, system: System): Promise<void> {
    system.life.dieAfter(this.dieAfter);
    const found = await outcomeOf(this.real(system, reference)).catch((error: unknown) => error);
    // A driver that dies is a reason for the engine; that the process is gone is what counts.
    const real = system.life.dead ? "crash" : found;
    await system.noteGrants();
    expect(real).toBe(expected(this.dieAfter, (boundary) => this.model(reference, boundary, system)));
    if (system.life.dead) system.restart();
    system.life.dieAfter(Number.POSITIVE_INFINITY);
    await system.compare(reference);
  }

  toString(): string {
    return this.dieAfter === Number.POSITIVE_INFINITY ? this.label : `${this.label} (dies after ${this.dieAfter})`;
  }
}

function expected(dieAfter: number, run: (boundary: () => void) => string): string {
  let left = dieAfter;
  try {
    return run(() => {
      if (left === 0) throw new Crash();
      left -= 1;
    });
  } catch (error) {
    if (error instanceof Crash) return "crash";
    throw error;
  }
}

const alive = Number.POSITIVE_INFINITY;
const dying = fc.oneof({ weight: 3, arbitrary: fc.constant(alive) }, { weight: 2, arbitrary: fc.nat(10) });
/** A run has most of the boundaries, and what follows a death in one is what the test is about. */
const dyingInRun = fc.oneof(fc.constant(alive), fc.nat(11));
const name = fc.constantFrom(...NAMES);
/** A denial blocks for good, so it is rare. */
const answers = fc.oneof(
  { weight: 9, arbitrary: fc.constant("granted" as const) },
  { weight: 1, arbitrary: fc.constant("denied" as const) },
);

/** Picks one of the actions known so far, the newest first; a command does nothing where there is none. */
function pick(reference: Reference, index: number): string | undefined {
  const ids = [...reference.actions.keys()];
  return ids.reverse()[index % Math.max(ids.length, 1)];
}

const plan = fc.tuple(name, dying).map(
  ([which, die]) =>
    new Step(
      `plan ${which}`,
      die,
      (system) => system.plan(which),
      (reference, boundary) => reference.plan(which, boundary),
    ),
);

const decide = fc.tuple(answers, dying).map(
  ([answer, die]) =>
    new Step(
      `answer ${answer}`,
      die,
      async (system) => {
        const consent = await system.consent();
        if (consent === null) return "no-request";
        const guard = createConsentGuard(consent, answer);
        return (await system.life.engine.decide({ consent, basis: "interactive", answer, guard })).kind;
      },
      (reference, boundary, system) =>
        reference.decide(answer, () => [...system.granted.keys()].at(-1) ?? "", boundary),
    ),
);

const expireConsent = dying.map(
  (die) =>
    new Step(
      "expire consent",
      die,
      async (system) => {
        const consent = await system.consent();
        if (consent === null) return "no-request";
        await system.life.engine.expireConsent(consent);
        return "retired";
      },
      (reference, boundary) => reference.expireConsent(boundary),
    ),
);

/** A command about one of the known actions. */
function onAction(
  label: string,
  real: (system: System, id: string) => Promise<string>,
  model: (reference: Reference, id: string, boundary: () => void, system: System) => string,
  deaths = dying,
): fc.Arbitrary<Command> {
  return fc.tuple(fc.nat(2), deaths).map(
    ([index, die]) =>
      new Step(
        `${label} ${index}`,
        die,
        async (system, reference) => {
          const id = pick(reference, index);
          return id === undefined ? "no-action" : real(system, id);
        },
        (reference, boundary, system) => {
          const id = pick(reference, index);
          return id === undefined ? "no-action" : model(reference, id, boundary, system);
        },
      ),
  );
}

function grantOf(system: System, id: string) {
  const granted = system.granted.get(id);
  if (granted === undefined) throw new Error(`no grant was noted for ${id}`);
  return granted;
}

const execute = onAction(
  "execute",
  async (system, id) => {
    const handle = system.life.engine.prepareInstallExecution({ ...grantOf(system, id), registry: system.registry() });
    return (await handle.execute()).outcome;
  },
  (reference, id, boundary) => reference.execute(id, boundary),
  dyingInRun,
);

const prepare = onAction(
  "prepare",
  (system, id) => {
    const handle = system.life.engine.prepareInstallExecution({ ...grantOf(system, id), registry: system.registry() });
    system.handles.push({ id, handle });
    return Promise.resolve("prepared");
  },
  () => "prepared",
);

/** Runs a handle that was prepared some time ago; what happened since counts, not what it knew. */
const executeHeld = fc.tuple(fc.nat(20), dying).map(([index, die]) => {
  let held: System["handles"][number] | undefined;
  return new Step(
    `execute held ${index}`,
    die,
    async (system) => {
      held = system.handles.splice(index % Math.max(system.handles.length, 1), 1)[0];
      return held === undefined ? "no-handle" : (await held.handle.execute()).outcome;
    },
    (reference, boundary) => (held === undefined ? "no-handle" : reference.execute(held.id, boundary)),
  );
});

const reoffer = onAction(
  "reoffer",
  async (system, actionId) =>
    (await system.life.engine.reoffer({ scope: SCOPE, actionId, policy: createConsentPolicy() })).kind,
  (reference, id, boundary) => reference.reoffer(id, boundary),
);

const abandon = onAction(
  "abandon",
  async (system, id) => {
    await system.life.engine.abandon(grantOf(system, id).action, { operator: "operator-1", reason: "a test" });
    return "abandoned";
  },
  (reference, id, boundary) => reference.abandon(id, boundary),
);

const expireAction = onAction(
  "expire action",
  async (system, id) => {
    await system.life.engine.expireAction(grantOf(system, id).action);
    return "expired";
  },
  (reference, id, boundary) => reference.expireAction(id, boundary),
);

const recover = fc.constant(
  new Step(
    "recover",
    alive,
    async (system) => {
      const { actions } = await system.life.engine.recover(system.registry());
      return actions
        .map((action) => (action.kind === "finished" ? action.report.outcome : "indeterminate"))
        .sort()
        .join();
    },
    (reference) =>
      [...reference.actions]
        .filter(([, action]) => action.phase === "claimed" || action.phase === "seen")
        // In the order of the journal's listing, since each receipt is an event of the one stream.
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([id]) => reference.finish(id, false, () => undefined))
        .sort()
        .join(),
  ),
);

const outside = fc.tuple(name, fc.constantFrom("exact" as const, "other" as const, "nothing" as const)).map(
  ([which, text]) =>
    new Step(
      `somebody leaves ${text} for ${which}`,
      alive,
      (system) => {
        system.put(which, text);
        return Promise.resolve("moved");
      },
      (reference) => {
        if (text === "nothing") reference.shelf.delete(which);
        else reference.shelf.set(which, text);
        return "moved";
      },
    ),
);

const time = fc.constantFrom(1, 60_000, 3_599_999, 3_600_000, -1, -1_800_000).map(
  (milliseconds) =>
    new Step(
      `the clock moves by ${milliseconds} ms`,
      alive,
      (system) => {
        system.clock.milliseconds += milliseconds;
        return Promise.resolve("moved");
      },
      (reference) => {
        reference.now += milliseconds;
        return "moved";
      },
    ),
);

const restart = fc.constant(
  new Step(
    "restart",
    alive,
    (system) => {
      system.life = new Incarnation(system.journal);
      system.handles = [];
      return Promise.resolve("restarted");
    },
    () => "restarted",
  ),
);

/** Commands that a person would give one after the other: what a free choice puts together too rarely. */
class Sequence implements Command {
  constructor(private readonly commands: readonly Command[]) {}

  check(): boolean {
    return true;
  }

  async run(reference: Reference, system: System): Promise<void> {
    for (const command of this.commands) {
      await command.run(reference, system);
    }
  }

  toString(): string {
    return this.commands.map(String).join(", then ");
  }
}

/** An install that dies somewhere, and the recovery of it. */
const installDieRecover = fc.tuple(plan, decide, execute, recover).map((commands) => new Sequence(commands));

/** Every command, the ones that lead somewhere more often. */
export const installCommands: fc.Arbitrary<Command>[] = [
  ...[installDieRecover, installDieRecover, installDieRecover, installDieRecover],
  ...[plan, plan, plan],
  ...[decide, decide, decide, decide, decide],
  ...[execute, execute, execute, execute, execute, execute],
  ...[prepare, executeHeld],
  ...[recover, recover, recover, recover],
  ...[reoffer, reoffer],
  ...[outside, time],
  abandon,
  expireAction,
  expireConsent,
  restart,
];
