import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openSkillStore } from "@mesh/skill-cas";
import type { Bench } from "../harness/bench.ts";
import { ratioOf } from "../harness/blocks.ts";
import { inFolder } from "../harness/folder.ts";
import { loopDelayDuring } from "../harness/loop-delay.ts";
import { timed } from "../harness/timed.ts";
import { newContents } from "./contents.ts";

const OBJECTS = 10_000;
const OBJECTS_SMOKE = 20;
const BYTES = 4096;
const PERCENTILE = 99;
/** How long the idle loop is watched in a block. */
const IDLE_MS = 5_000;
const IDLE_MS_SMOKE = 50;

/** One content after another, none made before it is asked for. */
function* contents(count: number): Generator<Uint8Array, void, undefined> {
  for (let made = 0; made < count; made += 1) yield* newContents(1, BYTES);
}

/** Whether a host still answers while it stores ten thousand objects: the delay of its event loop against an idle one. */
export const eventLoopBench: Bench = {
  id: "cas.eventloop.putMany10k",
  unit: "times the idle loop",
  goal: { atMost: 3 },
  measure: (options) => {
    const objects = options.smoke ? OBJECTS_SMOKE : OBJECTS;
    const idleMs = options.smoke ? IDLE_MS_SMOKE : IDLE_MS;
    let longestMs = 0;
    let putManyMs = 0;
    const idle = async (): Promise<number> => (await loopDelayDuring(PERCENTILE, () => delay(idleMs))).percentileMs;
    const storing = (): Promise<number> =>
      inFolder(async (folder) => {
        await using store = await openSkillStore({ root: join(folder, "root"), create: true });
        const { percentileMs, maxMs } = await loopDelayDuring(PERCENTILE, async () => {
          putManyMs = await timed(async () => {
            for await (const result of store.putMany(contents(objects))) {
              if (result.status === "failed") throw result.error;
            }
          });
        });
        longestMs = Math.max(longestMs, maxMs);
        return percentileMs;
      });
    return (async () => {
      // Ours is the numerator here, so the sides change places.
      const ratio = await ratioOf(idle, storing, options);
      const detail = { objects, bytes: BYTES, p99Ms: ratio.peer, idleP99Ms: ratio.ours, longestMs, putManyMs };
      return { value: ratio.value, range: ratio.range, peer: "the idle event loop of the same process", detail };
    })();
  },
};
