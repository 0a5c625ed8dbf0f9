import { randomBytes } from "node:crypto";
import type { FileStatus } from "@mesh/ffi/fs";
import type { Address, StoreIdentity } from "../address.ts";
import type { Steps } from "../effects.ts";
import { SkillCasError } from "../error.ts";
import type { Inspection } from "../inspect.ts";
import { isDigest, OBJECT_BYTES_MAX, PUT_ACTION_DIGEST, sha256Hex } from "../layout.ts";
import type { LockPatience } from "../lock.ts";
import { type Publication, publish, reconcile } from "../publish.ts";
import { checkObject, readObject, statObject } from "../read.ts";
import { conflictError } from "../reason.ts";
import { type QuarantineRecord, quarantineContent } from "../quarantine.ts";
import type { Outcome } from "../seal.ts";
import { type SweepFinding, sweepReporting } from "../sweep.ts";

/** What an object is afterwards, and whether this put made it. */
export interface PutResult {
  readonly digest: string;
  readonly status: "created" | "present";
}

/** What became of one item of a batch. */
export type PutOutcome = PutResult | { readonly status: "failed"; readonly error: unknown };

/** What the store can be asked for, as plain data, so that it can be asked from another thread. */
export type StoreRequest =
  | { readonly kind: "put"; readonly bytes: Uint8Array }
  | { readonly kind: "read"; readonly digest: string }
  | { readonly kind: "sweep"; readonly digest: string }
  | { readonly kind: "quarantine"; readonly digest: string; readonly reason: string }
  | { readonly kind: "check"; readonly digest: string; readonly device: boolean }
  | { readonly kind: "stat"; readonly digest: string }
  | { readonly kind: "publish"; readonly digest: string; readonly size: number; readonly actionDigest: string }
  | {
      readonly kind: "reconcile";
      readonly digest: string;
      readonly size: number;
      readonly actionDigest: string;
      /** What the publication of the same caller ended with, if it made one. */
      readonly published?: FileStatus | undefined;
    };

/** What each request is answered with. */
export interface StoreResults {
  put: PutResult;
  read: Uint8Array;
  sweep: SweepFinding;
  quarantine: QuarantineRecord;
  check: Inspection;
  stat: FileStatus | undefined;
  publish: Publication;
  reconcile: Outcome;
}

/** The algorithm that answers a request. Arguments are checked here, where they enter the store. */
export function stepsOf(store: StoreIdentity, request: StoreRequest): Steps<StoreResults[StoreRequest["kind"]]> {
  switch (request.kind) {
    case "put":
      return putSteps(store, request.bytes, "wait");
    case "read":
      return readObject(addressOf(store, request.digest));
    case "sweep":
      return sweepReporting(store, checkDigest(request.digest));
    case "quarantine":
      return quarantineContent(store, {
        digest: checkDigest(request.digest),
        reason: request.reason,
        at: new Date().toISOString(),
        tag: randomBytes(4).toString("hex"),
      });
    case "check":
      return checkObject(addressOf(store, request.digest), request.device);
    case "stat":
      return statObject(addressOf(store, request.digest));
    case "publish":
      return publish(
        { ...addressOf(store, request.digest), size: request.size },
        { actionDigest: request.actionDigest, patience: "wait", body: "load" },
      );
    case "reconcile":
      return reconcile(
        { ...addressOf(store, request.digest), size: request.size },
        request.actionDigest,
        "wait",
        request.published,
      );
  }
}

/** Puts bytes under their own digest. */
export function* putSteps(store: StoreIdentity, bytes: Uint8Array, patience: LockPatience): Steps<PutResult> {
  if (!(bytes instanceof Uint8Array) || bytes.length < 1 || bytes.length > OBJECT_BYTES_MAX) {
    const found = bytes instanceof Uint8Array ? `${bytes.length} bytes` : typeof bytes;
    throw invalid("bytes", found, `a Uint8Array of 1 to ${OBJECT_BYTES_MAX} bytes`);
  }
  const digest = sha256Hex(bytes);
  const { outcome, created } = yield* publish(
    { store, digest, size: bytes.length },
    { actionDigest: PUT_ACTION_DIGEST, patience, body: bytes },
  );
  switch (outcome.state) {
    case "exact":
      return { digest, status: created ? "created" : "present" };
    case "conflict":
      throw conflictError(outcome.reason);
    case "absent":
      throw new SkillCasError({
        code: "OBJECT_MISSING",
        message: `${digest}: published, then gone; somebody works in this store without its locks`,
        facts: { digest },
      });
  }
}

function addressOf(store: StoreIdentity, digest: string): Address {
  return { store, digest: checkDigest(digest) };
}

/** Digests come from outside and become file names. */
function checkDigest(digest: string): string {
  if (typeof digest !== "string" || !isDigest(digest)) {
    throw invalid("digest", JSON.stringify(digest), "64 lower-case hex digits");
  }
  return digest;
}

function invalid(argument: string, found: string, expected: string): SkillCasError {
  return new SkillCasError({
    code: "INVALID_ARGUMENT",
    message: `${argument}: found ${found}; expected ${expected}. Nothing was touched`,
    facts: { argument, found, expected },
  });
}
