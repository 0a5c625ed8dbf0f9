import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openSkillStore, openSkillStoreSync, type SkillStore, type SkillStoreSync } from "@mesh/skill-cas";
import type { Bench } from "../harness/bench.ts";
import { ratioOf, type Side } from "../harness/blocks.ts";
import { inFolder } from "../harness/folder.ts";
import { timed, timedBlocking } from "../harness/timed.ts";
import { newContents } from "./contents.ts";
import { makeLargeRoot } from "./large-root.ts";

const OBJECTS = 200_000;
const OBJECTS_SMOKE = 200;
/** The tenth against which the walks are called linear. */
const TENTH = 10;
const PUTS = 50;
const PUTS_SMOKE = 2;
const BYTES = 4096;
const MIB = 2 ** 20;

function puts(store: SkillStoreSync, count: number): Side {
  return () => {
    const contents = newContents(count, BYTES);
    return Promise.resolve(
      timedBlocking(() => {
        for (const bytes of contents) store.put(bytes);
      }),
    );
  };
}

/** Walks over a whole root: microseconds an object, and what the process grew by at most, in MiB. */
async function walk(walked: AsyncIterable<unknown>, objects: number): Promise<{ us: number; mib: number }> {
  const before = process.memoryUsage.rss();
  let most = before;
  let seen = 0;
  const milliseconds = await timed(async () => {
    const steps = walked[Symbol.asyncIterator]();
    while ((await steps.next()).done !== true) {
      seen += 1;
      if (seen % 1000 === 0) most = Math.max(most, process.memoryUsage.rss());
    }
  });
  return { us: (milliseconds * 1000) / objects, mib: (most - before) / MIB };
}

/** The three walks over a root, named for the detail. The first listing warms up and is not reported. */
async function walks(root: string, objects: number, size: string): Promise<Record<string, number>> {
  await using store: SkillStore = await openSkillStore({ root });
  await walk(store.list(), objects);
  const detail: Record<string, number> = {};
  for (const name of ["list", "sweep", "verify"] as const) {
    const { us, mib } = await walk(store[name](), objects);
    detail[`${name}Us${size}`] = us;
    detail[`${name}GrowthMiB${size}`] = mib;
  }
  return detail;
}

/** A put into a large root against one into an empty one; and that what walks over all objects is linear with flat memory. */
export const growthBench: Bench = {
  id: "cas.put.growth200k",
  unit: "times the empty root",
  goal: { atMost: 1.2 },
  measure: (options) =>
    inFolder(async (folder) => {
      const objects = options.smoke ? OBJECTS_SMOKE : OBJECTS;
      const [large, tenth, empty] = ["large", "tenth", "empty"].map((name) => join(folder, name));
      if (large === undefined || tenth === undefined || empty === undefined) throw new Error("three roots are named");
      mkdirSync(empty, { mode: 0o700 });
      makeLargeRoot(large, objects);
      makeLargeRoot(tenth, objects / TENTH);
      const count = options.smoke ? PUTS_SMOKE : PUTS;
      const walked = { ...(await walks(tenth, objects / TENTH, "AtATenth")), ...(await walks(large, objects, "")) };
      using inEmpty = openSkillStoreSync({ root: empty });
      using inLarge = openSkillStoreSync({ root: large });
      const ratio = await ratioOf(puts(inEmpty, count), puts(inLarge, count), options);
      const detail = { objects, puts: count, putMs: ratio.peer / count, emptyPutMs: ratio.ours / count, ...walked };
      return { value: ratio.value, range: ratio.range, peer: "the same puts into an empty root", detail };
    }),
};
