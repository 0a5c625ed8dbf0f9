import { INTERFERENCES, interfere, namesOf } from "./interference.ts";
import { contentOf, type Job } from "./jobs.ts";
import { World } from "./world.ts";

const CONTENT = contentOf(new Uint8Array([0x61, 0x62, 0x63]));

/** What is there when the job begins. */
export const BEGINNINGS: Readonly<Record<string, (world: World) => void>> = {
  "an empty store": () => undefined,
  "a stage of another action": (world) => {
    killBefore(world, "link");
  },
  "an unfinished object": (world) => {
    killBefore(world, "unlink");
  },
  "an object": (world) => {
    world.start(job("put"));
    world.finish();
  },
};

function job(kind: Job["kind"], action = 0): Job {
  return { kind, content: 0, action, patience: "try" };
}

function killBefore(world: World, kind: "link" | "unlink"): void {
  const actor = world.start(job("put", 1));
  while (actor.next !== undefined && actor.next.kind !== kind) world.step(actor);
  world.kill(actor);
}

/** Everything that he can do, at every name, between any two effects of a job; the number of runs. */
export function interfereEverywhere(kind: Job["kind"], prepare: (world: World) => void): number {
  let runs = 0;
  for (const name of namesOf(CONTENT)) {
    for (const interference of INTERFERENCES) {
      for (let before = 0; ; before += 1) {
        const world = new World({ contents: [CONTENT], lawless: true });
        prepare(world);
        const actor = world.start(job(kind));
        for (let count = 0; count < before && actor.ending === undefined; count += 1) world.step(actor);
        if (actor.ending !== undefined) break;
        interfere(world, CONTENT, name, interference);
        try {
          world.finish();
          world.start(job("recover"));
          world.finish();
        } catch (error) {
          throw new Error(`${JSON.stringify(interference)} at ${name} after ${before} effects`, { cause: error });
        }
        runs += 1;
      }
    }
  }
  return runs;
}
