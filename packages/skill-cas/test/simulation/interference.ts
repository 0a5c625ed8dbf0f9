import type { SimulatedKind } from "@mesh/testkit/simulated-disk";
import { lockName, recoveryActionDigest, stageName } from "../../src/layout.ts";
import { snapshot } from "./foreign.ts";
import { OWNER } from "./interpreter.ts";
import { ACTIONS, type Content } from "./jobs.ts";
import type { World } from "./world.ts";

/** Puts wrong bytes at the name of the object, where they have been for long. */
export function spoil(world: World, { address }: Content): void {
  const wrong = new TextEncoder().encode("hostile");
  const inode = world.disk.place(address.digest, {
    kind: "regular",
    owner: OWNER,
    mode: 0o600,
    bytes: wrong,
    durable: true,
  });
  world.foreign.set(inode.number, snapshot(inode, address.digest, true));
}

/** The names of a content at which somebody may be in the way. */
export function namesOf({ address: { digest } }: Content): readonly string[] {
  return [
    digest,
    stageName(digest, ACTIONS[0] ?? ""),
    stageName(digest, ACTIONS[1] ?? ""),
    stageName(digest, recoveryActionDigest(0)),
    lockName(digest),
  ];
}

/** What somebody does who knows no lock, to one name of one content. */
export type Interference =
  | { readonly kind: "place"; readonly what: keyof typeof THINGS; readonly replace: boolean }
  | { readonly kind: "unlink" }
  | { readonly kind: "truncate" }
  | { readonly kind: "edit" }
  | { readonly kind: "link"; readonly from: number }
  | { readonly kind: "setMode"; readonly mode: number };

interface Thing {
  readonly kind: SimulatedKind;
  readonly owner: number;
  readonly mode: number;
  readonly bytes: "right" | "wrong" | "none";
}

const THINGS = {
  "the right bytes": { kind: "regular", owner: OWNER, mode: 0o600, bytes: "right" },
  "wrong bytes": { kind: "regular", owner: OWNER, mode: 0o600, bytes: "wrong" },
  nothing: { kind: "regular", owner: OWNER, mode: 0o600, bytes: "none" },
  "the right bytes for everybody": { kind: "regular", owner: OWNER, mode: 0o644, bytes: "right" },
  "the right bytes for nobody": { kind: "regular", owner: OWNER, mode: 0, bytes: "right" },
  "the right bytes of another user": { kind: "regular", owner: 4242, mode: 0o600, bytes: "right" },
  "a symbolic link": { kind: "symlink", owner: OWNER, mode: 0o777, bytes: "none" },
  "a directory": { kind: "directory", owner: OWNER, mode: 0o700, bytes: "none" },
  "a FIFO": { kind: "fifo", owner: OWNER, mode: 0o600, bytes: "none" },
  "a socket": { kind: "socket", owner: OWNER, mode: 0o600, bytes: "none" },
} as const satisfies Readonly<Record<string, Thing>>;

/** Every interference that there is. */
export const INTERFERENCES: readonly Interference[] = [
  ...Object.keys(THINGS).flatMap((what) =>
    [false, true].map((replace) => ({ kind: "place", what: what as keyof typeof THINGS, replace }) as const),
  ),
  { kind: "unlink" },
  { kind: "truncate" },
  { kind: "edit" },
  ...[0, 1, 2, 4].map((from) => ({ kind: "link", from }) as const),
  { kind: "setMode", mode: 0o644 },
  { kind: "setMode", mode: 0o600 },
];

/** Does it, as far as it can be done; the world remembers what is his. */
export function interfere(world: World, content: Content, name: string, interference: Interference): void {
  const { disk } = world;
  const there = disk.lookUp(name);
  const digest = content.address.digest;
  switch (interference.kind) {
    case "place": {
      if (there !== undefined && !interference.replace) break;
      if (there !== undefined) disk.removeName(name, "rename");
      const { bytes, ...thing }: Thing = THINGS[interference.what];
      const text = { right: content.bytes, wrong: new TextEncoder().encode("wrong"), none: new Uint8Array() }[bytes];
      const inode = disk.place(name, { ...thing, bytes: text, durable: false });
      world.foreign.set(inode.number, snapshot(inode, digest));
      break;
    }
    case "unlink":
      if (there !== undefined) disk.removeName(name, "unlink");
      break;
    case "truncate":
    case "edit":
      if (there?.kind !== "regular" || there.bytes.length === 0) break;
      there.bytes = interference.kind === "edit" ? there.bytes.map((byte) => byte ^ 1) : there.bytes.subarray(1);
      there.data = "dirty";
      there.modified = disk.tick();
      there.changed = there.modified;
      if (world.foreign.has(there.number)) world.foreign.set(there.number, snapshot(there, digest));
      break;
    case "link": {
      const source = disk.lookUp(namesOf(content)[interference.from] ?? "");
      if (source !== undefined && source.kind !== "directory" && there === undefined) disk.addName(name, source);
      break;
    }
    case "setMode":
      if (there === undefined) break;
      there.mode = interference.mode;
      there.changed = disk.tick();
      if (world.foreign.has(there.number)) world.foreign.set(there.number, snapshot(there, digest));
      break;
  }
  world.look();
}
