import { join } from "node:path";
import { openSkillStore, openSkillStoreSync, type SkillStore, type SkillStoreSync } from "@mesh/skill-cas";
import type { Bench, RunOptions } from "../harness/bench.ts";
import { ratioOf, type Side } from "../harness/blocks.ts";
import { inFolder } from "../harness/folder.ts";
import { timed, timedBlocking } from "../harness/timed.ts";
import { newContents } from "./contents.ts";
import { PEER_DOES, PeerProgram } from "./peer-program.ts";
import { requireSameFiles } from "./same-files.ts";

const PUTS = 100;
const PUTS_SMOKE = 3;
const BATCH = 500;
const BATCH_SMOKE = 5;

/** A way to put: how the store is opened, and one block. */
interface Way {
  readonly id: string;
  readonly atMost: number;
  readonly bytes: number;
  readonly count: (options: RunOptions) => number;
  readonly command: "put" | "batch";
  readonly open: (
    root: string,
  ) => Promise<{ side: (contents: readonly Uint8Array[]) => Promise<number> } & AsyncDisposable>;
}

function count({ smoke }: RunOptions): number {
  return smoke ? PUTS_SMOKE : PUTS;
}

function openSynchronous(root: string): ReturnType<Way["open"]> {
  const store: SkillStoreSync = openSkillStoreSync({ root, create: true });
  return Promise.resolve({
    side: (contents: readonly Uint8Array[]) =>
      Promise.resolve(
        timedBlocking(() => {
          for (const bytes of contents) store.put(bytes);
        }),
      ),
    [Symbol.asyncDispose]: () => {
      store.close();
      return Promise.resolve();
    },
  });
}

function openWith(put: (store: SkillStore, contents: readonly Uint8Array[]) => Promise<void>): Way["open"] {
  return async (root) => {
    const store = await openSkillStore({ root, create: true });
    return {
      side: (contents: readonly Uint8Array[]) => timed(() => put(store, contents)),
      [Symbol.asyncDispose]: () => store.close(),
    };
  };
}

async function putOneByOne(store: SkillStore, contents: readonly Uint8Array[]): Promise<void> {
  for (const bytes of contents) await store.put(bytes);
}

async function putMany(store: SkillStore, contents: readonly Uint8Array[]): Promise<void> {
  for await (const result of store.putMany(contents)) if (result.status === "failed") throw result.error;
}

function versusC({ id, atMost, bytes, count, command, open }: Way): Bench {
  return {
    id,
    unit: "times the C program",
    goal: { atMost },
    measure: (options) =>
      inFolder(async (folder) => {
        const [root, peerRoot] = [join(folder, "ours"), join(folder, "peer")];
        const objects = count(options);
        await using ours = await open(root);
        await using peer = new PeerProgram(peerRoot);
        const oursSide: Side = () => ours.side(newContents(objects, bytes));
        const peerSide: Side = () => peer.run(command, newContents(objects, bytes));
        // Ours is the numerator here, so the sides change places.
        const ratio = await ratioOf(peerSide, oursSide, options);
        await requireSameFiles(root, peerRoot);
        const detail = {
          objects,
          bytes,
          putMs: ratio.peer / objects,
          peerPutMs: ratio.ours / objects,
          peerDoes: PEER_DOES,
        };
        return { value: ratio.value, range: ratio.range, peer: "a C program that leaves the same files", detail };
      }),
  };
}

/** Puts of the store against a C program that takes the same care and leaves the same files. */
export const versusCBenches: readonly Bench[] = [
  { id: "cas.put.4k.vsC", atMost: 1.5, bytes: 4096, count, command: "put", open: openSynchronous } as const,
  { id: "cas.put.64k.vsC", atMost: 1.5, bytes: 65_536, count, command: "put", open: openSynchronous } as const,
  { id: "cas.put.4k.async.vsC", atMost: 1.8, bytes: 4096, count, command: "put", open: openWith(putOneByOne) } as const,
  {
    id: "cas.putMany.500.vsC",
    atMost: 1.3,
    bytes: 4096,
    count: ({ smoke }: RunOptions) => (smoke ? BATCH_SMOKE : BATCH),
    command: "batch",
    open: openWith(putMany),
  } as const,
].map(versusC);
