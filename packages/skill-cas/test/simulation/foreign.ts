import type { SimulatedDisk, SimulatedInode } from "@mesh/testkit/simulated-disk";
import type { Effect } from "../../src/effects.ts";
import { FILE_MODE, parseEntryName } from "../../src/layout.ts";
import { OWNER } from "./interpreter.ts";

/** What somebody without the protocol made, as he left it. */
export interface ForeignFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** The content at one of whose names it was put. */
  readonly digest: string | undefined;
  /** Whether it is on the disk for long: then no power cut may take it either. */
  readonly durable: boolean;
}

/** By inode number. */
export type Foreign = Map<number, ForeignFile>;

export function snapshot(inode: SimulatedInode, digest?: string, durable = false): ForeignFile {
  return { bytes: inode.bytes, mode: inode.mode, digest, durable };
}

/**
 * What recovery may take for its own: a regular file of this user, private or less, at the name of a stage or lock. It is
 * nobody's loss by the rules of the store (design D7), whoever made it.
 */
export function looksOwn(inode: SimulatedInode, key: string): boolean {
  const { kind } = parseEntryName(key);
  return (
    (kind === "stage" || kind === "lock" || key.startsWith(".mesh-")) &&
    inode.kind === "regular" &&
    inode.owner === OWNER &&
    (inode.mode & ~FILE_MODE) === 0
  );
}

/** What an actor saw at a name when it looked last. */
export interface Look {
  readonly inode: number;
  /** Whether it was one that recovery may take for its own: what changes after the look is in the window below. */
  readonly looksOwn: boolean;
}

/**
 * That one effect of an algorithm overwrote nothing and removed nothing of another.
 *
 * A name can be swapped between the last look at it and its removal: POSIX has no removal by identity. What is lost in that
 * window is not counted, and nothing else is forgiven: the look must be the effect right before.
 */
export function checkForeign(
  disk: SimulatedDisk,
  before: ReadonlyMap<string, number>,
  foreign: Foreign,
  effect: Effect | undefined,
  actor: { readonly looks: ReadonlyMap<string, Look>; readonly effects: readonly Effect[] },
): void {
  for (const [key, number] of before) {
    const now = disk.names.get(key);
    if (now !== undefined && now !== number) throw new Error(`${effect?.kind ?? "nothing"} replaced ${key}`);
    if (now !== undefined || effect?.kind === "rename") continue;
    if (parseEntryName(key).kind === "object") throw new Error(`${effect?.kind ?? "nothing"} removed an object`);
    const seen = actor.looks.get(key);
    // A second name that the algorithm gave to a file it was just about to trust is its own to take away.
    const ownName = actor.effects.some((done) => done.kind === "link" && done.target === key);
    const previous = actor.effects.at(-2);
    const looked = previous?.kind === "stat" && previous.name === key;
    if (foreign.has(number) && !ownName && (!looked || (seen?.inode === number && !seen.looksOwn))) {
      throw new Error(`${effect?.kind ?? "nothing"} removed what is somebody else's: ${key}`);
    }
  }
  for (const [number, was] of foreign) {
    const inode = disk.inode(number);
    if (!Buffer.from(inode.bytes).equals(was.bytes)) throw new Error("bytes of somebody else were changed");
    const setOwnMode = inode.mode === FILE_MODE && inode.owner === OWNER && (was.mode & ~FILE_MODE) === 0;
    if (inode.mode !== was.mode && !setOwnMode) throw new Error("a mode of somebody else was changed");
  }
}
