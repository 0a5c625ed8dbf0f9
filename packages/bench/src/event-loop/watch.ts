import { createRequire } from "node:module";
import { compileOnce } from "../harness/compile.ts";

interface LoopWatchAddon {
  start(): void;
  stop(): [heldNs: number, wallNs: number, collectionNs: number, turns: number];
}

/** How long the loop was busy at a stretch. */
export interface LoopBusy {
  /**
   * The longest turn of the loop less its waiting and the engine's collections of garbage; by the thread's own clock where another
   * process had the processor.
   */
  readonly longestHeldMs: number;
  /** The longest turn less its waiting by the wall clock, other processes and collections included. */
  readonly longestWallMs: number;
  /** The longest collection of garbage. */
  readonly longestCollectionMs: number;
  readonly turns: number;
}

/**
 * Watches the event loop of this thread from inside, during a body (native/bench/loop_watch.cc).
 *
 * @throws BenchError `NOT_BUILT`
 */
export async function loopBusyDuring(body: () => Promise<unknown>): Promise<LoopBusy> {
  const target = compileOnce({ name: "loop-watch", kind: "addon", sources: ["bench/loop_watch.cc"] });
  // The shape is that of the source compiled above, which belongs to the same commit.
  const addon = createRequire(import.meta.url)(target) as LoopWatchAddon;
  addon.start();
  await body();
  const [heldNs, wallNs, collectionNs, turns] = addon.stop();
  return {
    longestHeldMs: heldNs / 1e6,
    longestWallMs: wallNs / 1e6,
    longestCollectionMs: collectionNs / 1e6,
    turns,
  };
}
