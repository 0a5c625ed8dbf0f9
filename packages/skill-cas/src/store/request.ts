import type { FileStatus } from "@mesh/ffi/fs";
import type { Address, StoreIdentity } from "../address.ts";
import type { Steps } from "../effects.ts";
import { SkillCasError } from "../error.ts";
import type { Inspection } from "../inspect.ts";
import { isDigest, OBJECT_BYTES_MAX, PUT_ACTION_DIGEST, sha256Hex } from "../layout.ts";
import { type Publication, publish, reconcile } from "../publish.ts";
import { checkObject, readObject, statObject } from "../read.ts";
import { conflictError } from "../reason.ts";
import type { Outcome } from "../seal.ts";

/** What an object is afterwards, and whether this put made it. */
export interface PutResult {
  readonly digest: string;
  readonly status: "created" | "present";
}

/** What the store can be asked for, as plain data, so that it can be asked from another thread. */
export type StoreRequest =
  | { readonly kind: "put"; readonly bytes: Uint8Array }
  | { readonly kind: "read"; readonly digest: string }
  | { readonly kind: "check"; readonly digest: string }
  | { readonly kind: "stat"; readonly digest: string }
  | { readonly kind: "publish"; readonly digest: string; readonly size: number; readonly actionDigest: string }
  | { readonly kind: "reconcile"; readonly digest: string; readonly size: number; readonly actionDigest: string };

/** What each request is answered with. */
export interface StoreResults {
  put: PutResult;
  read: Uint8Array;
  check: Inspection;
  stat: FileStatus | undefined;
  publish: Publication;
  reconcile: Outcome;
}

/** The algorithm that answers a request. Arguments are checked here, where they enter the store. */
export function stepsOf(store: StoreIdentity, request: StoreRequest): Steps<StoreResults[StoreRequest["kind"]]> {
  switch (request.kind) {
    case "put":
      return put(store, request.bytes);
    case "read":
      return readObject(addressOf(store, request.digest));
    case "check":
      return checkObject(addressOf(store, request.digest));
    case "stat":
      return statObject(addressOf(store, request.digest));
    case "publish":
      return publish(
        { ...addressOf(store, request.digest), size: request.size },
        { actionDigest: request.actionDigest, patience: "wait", body: "load" },
      );
    case "reconcile":
      return reconcile({ ...addressOf(store, request.digest), size: request.size }, request.actionDigest, "wait");
  }
}

function* put(store: StoreIdentity, bytes: Uint8Array): Steps<PutResult> {
  if (!(bytes instanceof Uint8Array) || bytes.length < 1 || bytes.length > OBJECT_BYTES_MAX) {
    const found = bytes instanceof Uint8Array ? `${bytes.length} bytes` : typeof bytes;
    throw invalid("bytes", found, `a Uint8Array of 1 to ${OBJECT_BYTES_MAX} bytes`);
  }
  const digest = sha256Hex(bytes);
  const { outcome, created } = yield* publish(
    { store, digest, size: bytes.length },
    { actionDigest: PUT_ACTION_DIGEST, patience: "wait", body: bytes },
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

/** Digests come from outside and become file names. */
function addressOf(store: StoreIdentity, digest: string): Address {
  if (typeof digest !== "string" || !isDigest(digest)) {
    throw invalid("digest", JSON.stringify(digest), "64 lower-case hex digits");
  }
  return { store, digest };
}

function invalid(argument: string, found: string, expected: string): SkillCasError {
  return new SkillCasError({
    code: "INVALID_ARGUMENT",
    message: `${argument}: found ${found}; expected ${expected}. Nothing was touched`,
    facts: { argument, found, expected },
  });
}
