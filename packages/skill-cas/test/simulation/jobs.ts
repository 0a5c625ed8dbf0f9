import { randomBytes } from "node:crypto";
import type { Address } from "../../src/address.ts";
import { inStep } from "../../src/batch.ts";
import type { Steps } from "../../src/effects.ts";
import { PUT_ACTION_DIGEST, sha256Hex } from "../../src/layout.ts";
import { type LockPatience, withContentLock } from "../../src/lock.ts";
import { publish, reconcile } from "../../src/publish.ts";
import { quarantineContent } from "../../src/quarantine.ts";
import { checkObject, readObject } from "../../src/read.ts";
import { recover } from "../../src/recover.ts";
import type { Outcome } from "../../src/seal.ts";
import { sweepContent } from "../../src/sweep.ts";
import { SIMULATED_STORE } from "./interpreter.ts";

/** One content of a simulated store. */
export interface Content {
  readonly bytes: Uint8Array;
  readonly address: Address;
}

export function contentOf(bytes: Uint8Array): Content {
  return { bytes, address: { store: SIMULATED_STORE, digest: sha256Hex(bytes), size: bytes.length } };
}

/** The actions that stages are named after: the one of a plain put, and two others. */
export const ACTIONS: readonly string[] = [PUT_ACTION_DIGEST, sha256Hex("action 1"), sha256Hex("action 2")];

export const JOB_KINDS = [
  "put",
  "install",
  "batch",
  "reconcile",
  "recover",
  "sweep",
  "read",
  "check",
  "quarantine",
] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** What an actor does. A batch is of all contents, in this order or the other. */
export interface Job {
  readonly kind: JobKind;
  readonly content: number;
  readonly action: number;
  readonly patience: LockPatience;
}

/** What a job says about one content when it is done. */
export interface Said {
  readonly digest: string;
  readonly state: "exact" | "absent" | "conflict" | "failed" | "moved" | "busy";
  /** The bytes it gives out, where it does. */
  readonly bytes?: Uint8Array;
  /** Whether the object will survive a power cut from here on. */
  readonly durable: boolean;
  readonly why?: unknown;
}

/** The algorithm of a job, with its answers in one form. */
export function* stepsOfJob(job: Job, contents: readonly Content[]): Steps<readonly Said[]> {
  const content = contents[job.content % contents.length];
  const actionDigest = ACTIONS[job.action % ACTIONS.length];
  if (content === undefined || actionDigest === undefined) throw new RangeError("a job needs a content and an action");
  const { address, bytes } = content;
  const { digest } = address;
  switch (job.kind) {
    case "put":
      return [told(digest, (yield* publish(address, { actionDigest, patience: job.patience, body: bytes })).outcome)];
    case "install": {
      // As the driver does: apply, and then look at what the same handle has published.
      const { outcome } = yield* publish(address, { actionDigest, patience: job.patience, body: bytes });
      return outcome.state === "exact"
        ? [told(digest, yield* reconcile(address, actionDigest, job.patience, outcome.status))]
        : [told(digest, outcome)];
    }
    case "batch":
      return yield* putAll(job.action % 2 === 0 ? contents : contents.toReversed());
    case "reconcile":
      return [told(digest, yield* reconcile(address, actionDigest, job.patience))];
    case "recover":
      return [told(digest, yield* withContentLock(address, job.patience, () => recover(address)))];
    case "sweep": {
      const swept = yield* sweepContent(address.store, digest);
      return [{ digest, state: swept.state, durable: swept.state === "exact", why: swept }];
    }
    case "read":
      return [{ digest, state: "exact", bytes: yield* readObject(address), durable: false }];
    case "check": {
      const seen = yield* checkObject(address, job.action === 0);
      return [
        {
          digest,
          durable: false,
          why: seen,
          ...(seen.state === "exact" ? { bytes: seen.bytes } : {}),
          state: seen.state,
        },
      ];
    }
    case "quarantine":
      yield* quarantineContent(address.store, {
        digest,
        reason: "simulated",
        at: new Date(0).toISOString(),
        tag: randomBytes(8).toString("hex"),
      });
      return [{ digest, state: "moved", durable: false }];
  }
}

function* putAll(contents: readonly Content[]): Steps<readonly Said[]> {
  const puts = contents.map(({ address, bytes }) =>
    publish(address, { actionDigest: PUT_ACTION_DIGEST, patience: "try", body: bytes }),
  );
  const settled = yield* inStep(puts);
  return settled.map((one, index) => {
    const digest = contents[index]?.address.digest ?? "";
    return one.kind === "returned"
      ? told(digest, one.value.outcome)
      : { digest, state: "failed", durable: false, why: one.error };
  });
}

function told(digest: string, outcome: Outcome): Said {
  return outcome.state === "exact"
    ? { digest, state: "exact", bytes: outcome.bytes, durable: true }
    : { digest, state: outcome.state, durable: false, why: outcome };
}
