import { join } from "node:path";
import { openSkillStore } from "@mesh/skill-cas";
import * as cacache from "cacache";
import type { Bench, RunOptions } from "../harness/bench.ts";
import { ratioOf } from "../harness/blocks.ts";
import { inFolder } from "../harness/folder.ts";
import { timed } from "../harness/timed.ts";
import { newContents } from "./contents.ts";

const PUTS = 100;
const READS = 400;
const SMOKE = 3;

/** The digest that both sides make. */
const ALGORITHM: cacache.put.Options = { algorithms: ["sha256"] };
const PEER = "cacache 21.0.2, which syncs nothing and keeps an index by key";

function put(id: string, bytes: number): Bench {
  return {
    id,
    unit: "times faster",
    goal: { atLeast: 1.5 },
    measure: (options: RunOptions) =>
      inFolder(async (folder) => {
        await using store = await openSkillStore({ root: join(folder, "ours"), create: true });
        const cache = join(folder, "cacache");
        const puts = options.smoke ? SMOKE : PUTS;
        let key = 0;
        const ours = (): Promise<number> => {
          const contents = newContents(puts, bytes);
          return timed(async () => {
            for (const content of contents) await store.put(content);
          });
        };
        const peer = (): Promise<number> => {
          const contents = newContents(puts, bytes).map((content) => Buffer.from(content));
          return timed(async () => {
            for (const content of contents) await cacache.put(cache, `key-${(key += 1)}`, content, ALGORITHM);
          });
        };
        const ratio = await ratioOf(ours, peer, options);
        const detail = { puts, bytes, putMs: ratio.ours / puts, cacachePutMs: ratio.peer / puts };
        return { value: ratio.value, range: ratio.range, peer: PEER, detail };
      }),
  };
}

const read: Bench = {
  id: "cas.read.vsCacache",
  unit: "times faster",
  goal: { atLeast: 2 },
  measure: (options) =>
    inFolder(async (folder) => {
      await using store = await openSkillStore({ root: join(folder, "ours"), create: true });
      const cache = join(folder, "cacache");
      const reads = options.smoke ? SMOKE : READS;
      const bytes = 4096;
      const digests: string[] = [];
      const integrities: string[] = [];
      for (const content of newContents(reads, bytes)) {
        digests.push((await store.put(content)).digest);
        // Its types say a string; it gives an object that becomes one.
        const integrity: unknown = await cacache.put(cache, `key-${digests.length}`, Buffer.from(content), ALGORITHM);
        integrities.push(String(integrity));
      }
      const ours = (): Promise<number> =>
        timed(async () => {
          for (const digest of digests) await store.read(digest);
        });
      const peer = (): Promise<number> =>
        timed(async () => {
          for (const integrity of integrities) await cacache.get.byDigest(cache, integrity);
        });
      const ratio = await ratioOf(ours, peer, options);
      const detail = { reads, bytes, readMs: ratio.ours / reads, cacacheReadMs: ratio.peer / reads };
      return { value: ratio.value, range: ratio.range, peer: "cacache.get.byDigest, 21.0.2", detail };
    }),
};

/** The asynchronous store against the content store that the ecosystem uses, one operation after another. */
export const versusCacacheBenches: readonly Bench[] = [
  put("cas.put.4k.vsCacache", 4096),
  put("cas.put.64k.vsCacache", 65_536),
  read,
];
