import { choosePowerLoss } from "@mesh/testkit/simulated-disk";
import fc from "fast-check";
import type { Actor } from "./actor.ts";
import { INTERFERENCES, interfere, namesOf, spoil } from "./interference.ts";
import { ACTIONS, type Content, contentOf, type Job, JOB_KINDS } from "./jobs.ts";
import { World } from "./world.ts";

/** One thing that happens in a sampled run. Numbers choose among what is there, so that every sequence is a run. */
export type Move =
  | { readonly kind: "start"; readonly job: Job; readonly umask: number }
  | { readonly kind: "step"; readonly actor: number; readonly effects: number }
  | { readonly kind: "kill"; readonly actor: number }
  | { readonly kind: "fail"; readonly actor: number; readonly errno: "EIO" | "ENOSPC" | "EROFS" }
  | { readonly kind: "cut power"; readonly choices: readonly number[] }
  | { readonly kind: "recover all" }
  | { readonly kind: "interfere"; readonly content: number; readonly name: number; readonly what: number };

/** A whole run. */
export interface Story {
  readonly contents: readonly Uint8Array[];
  /** Contents at whose object name wrong bytes have been standing for long. */
  readonly spoiled: readonly number[];
  readonly moves: readonly Move[];
}

const ACTORS_MAX = 4;

const job = fc.record<Job>({
  kind: fc.constantFrom(...JOB_KINDS),
  content: fc.nat(2),
  action: fc.nat(ACTIONS.length - 1),
  patience: fc.constantFrom("wait", "try"),
});

const start = fc.record({
  kind: fc.constant("start" as const),
  job,
  // Umasks that leave the owner's bits. With the others, several at work can be too many: see actors.test.ts.
  umask: fc.constantFrom(0o022, 0o177, 0),
});
const step = fc.record({
  kind: fc.constant("step" as const),
  actor: fc.nat(ACTORS_MAX - 1),
  effects: fc.integer({ min: 1, max: 15 }),
});
const kill = fc.record({ kind: fc.constant("kill" as const), actor: fc.nat(ACTORS_MAX - 1) });
const fail = fc.record({
  kind: fc.constant("fail" as const),
  actor: fc.nat(ACTORS_MAX - 1),
  errno: fc.constantFrom("EIO" as const, "ENOSPC" as const, "EROFS" as const),
});
const cutPower = fc.record({
  kind: fc.constant("cut power" as const),
  choices: fc.array(fc.nat(11), { maxLength: 12 }),
});
const recoverAll = fc.constant({ kind: "recover all" as const });
const interference = fc.record({
  kind: fc.constant("interfere" as const),
  content: fc.nat(2),
  name: fc.nat(4),
  what: fc.nat(INTERFERENCES.length - 1),
});

const lawful = [
  { arbitrary: start, weight: 4 },
  { arbitrary: step, weight: 10 },
  { arbitrary: kill, weight: 1 },
  { arbitrary: fail, weight: 1 },
  { arbitrary: cutPower, weight: 1 },
  { arbitrary: recoverAll, weight: 1 },
];

function storyOf(moves: fc.Arbitrary<Move>): fc.Arbitrary<Story> {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 6 });
  return fc.record({
    contents: fc.uniqueArray(bytes, { minLength: 1, maxLength: 3, selector: (item) => item.join() }),
    spoiled: fc.array(fc.nat(2), { maxLength: 1 }),
    moves: fc.array(moves, { maxLength: 60, size: "max" }),
  });
}

/** Runs in which everybody keeps to the locks, dies, and meets failing disks and power cuts. */
export const LAWFUL_STORIES = storyOf(fc.oneof(...lawful));

/** The same with somebody who knows no locks. */
export const LAWLESS_STORIES = storyOf(fc.oneof(...lawful, { arbitrary: interference, weight: 6 }));

/** Plays a run to its end, cuts the power once more, recovers, and has every promise checked all along. */
export function play(story: Story, lawless: boolean): void {
  const contents = story.contents.map(contentOf);
  const world = new World({ contents, lawless });
  for (const index of story.spoiled) {
    const content = contents[index];
    if (content !== undefined) spoil(world, content);
  }
  for (const move of story.moves) perform(world, contents, move);
  world.finish();
  world.recoverAll();
  world.cutPower(choosePowerLoss(world.disk, () => 0));
  world.recoverAll();
}

function perform(world: World, contents: readonly Content[], move: Move): void {
  switch (move.kind) {
    case "start":
      if (world.actors.length < ACTORS_MAX) world.start(move.job, move.umask);
      break;
    case "step":
      withActor(world, move.actor, (actor) => {
        for (let count = 0; count < move.effects && actor.ending === undefined; count += 1) world.step(actor);
      });
      break;
    case "kill":
      withActor(world, move.actor, (actor) => {
        world.kill(actor);
      });
      break;
    case "fail":
      withActor(world, move.actor, (actor) => {
        world.fail(actor, move.errno);
      });
      break;
    case "cut power": {
      const choices = [...move.choices];
      world.cutPower(choosePowerLoss(world.disk, (bound) => (choices.shift() ?? 0) % bound));
      break;
    }
    case "recover all":
      world.finish();
      world.recoverAll();
      break;
    case "interfere": {
      const content = contents[move.content % contents.length];
      const what = INTERFERENCES[move.what];
      if (content === undefined || what === undefined) break;
      interfere(world, content, namesOf(content)[move.name] ?? "", what);
      break;
    }
  }
}

/** The actors that still work, and the one of that number among them. */
function withActor(world: World, number: number, act: (actor: Actor) => void): void {
  world.actors = world.actors.filter((actor) => actor.ending === undefined);
  const actor = world.actors[number % Math.max(1, world.actors.length)];
  if (actor !== undefined) act(actor);
}
