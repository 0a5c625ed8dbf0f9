import { SimulatedDisk } from "@mesh/testkit/simulated-disk";
import type { Address } from "../../src/address.ts";
import type { Steps } from "../../src/effects.ts";
import { PUT_ACTION_DIGEST, sha256Hex, stageName } from "../../src/layout.ts";
import { publish, reconcile } from "../../src/publish.ts";
import type { Outcome } from "../../src/seal.ts";
import { type Exploration, type ExploreOptions, explore } from "./explore.ts";
import { OWNER, SIMULATED_STORE } from "./interpreter.ts";

/** The bytes of {@link ADDRESS}. */
export const BYTES = new Uint8Array([0x61, 0x62, 0x63]);
/** The content of the simulated runs: three bytes, so that a stage can be none, part, NUL and whole. */
export const ADDRESS: Address = { store: SIMULATED_STORE, digest: sha256Hex(BYTES), size: BYTES.length };
const OTHER_ACTION = sha256Hex("another action");

function* put(): Steps<Outcome> {
  const { outcome } = yield* publish(ADDRESS, { actionDigest: PUT_ACTION_DIGEST, patience: "wait", body: BYTES });
  return outcome;
}

/** A put and the look of the same handle afterwards, as a driver installs. */
export function* install(): Steps<Outcome> {
  const published = yield* put();
  return published.state === "exact"
    ? yield* reconcile(ADDRESS, PUT_ACTION_DIGEST, "wait", published.status)
    : published;
}

/** Explores a put, and everything that can interrupt it. */
export function exploreFrom(options: Partial<ExploreOptions>): Exploration {
  return explore({
    address: ADDRESS,
    bytes: BYTES,
    actionDigest: PUT_ACTION_DIGEST,
    first: put,
    initial: new SimulatedDisk(),
    umask: 0o022,
    interruptionsMax: 2,
    powerCutsMax: 1,
    syncsFail: false,
    ...options,
  });
}

/** A disk that somebody else wrote to. */
export function diskWith(names: readonly string[], durable: boolean): SimulatedDisk {
  const disk = new SimulatedDisk();
  for (const name of names) {
    disk.place(name, { kind: "regular", owner: OWNER, mode: 0o600, bytes: BYTES, durable });
  }
  return disk;
}

/** What crashes of other versions, other actions and other implementations can leave. */
export const BEGINNINGS: readonly [string, () => SimulatedDisk][] = [
  ["an empty store", (): SimulatedDisk => new SimulatedDisk()],
  ["an object that nobody synced", (): SimulatedDisk => diskWith([ADDRESS.digest], false)],
  [
    "whole stages of two other actions",
    (): SimulatedDisk =>
      diskWith([stageName(ADDRESS.digest, OTHER_ACTION), stageName(ADDRESS.digest, sha256Hex("third"))], true),
  ],
  [
    "an own stage that nobody synced",
    (): SimulatedDisk => diskWith([stageName(ADDRESS.digest, PUT_ACTION_DIGEST)], false),
  ],
  [
    "a foreign stage linked to the object",
    (): SimulatedDisk => {
      const disk = diskWith([stageName(ADDRESS.digest, OTHER_ACTION)], true);
      const stage = disk.lookUp(stageName(ADDRESS.digest, OTHER_ACTION));
      if (stage !== undefined) disk.addName(ADDRESS.digest, stage);
      return disk;
    },
  ],
];
