import type { FileStatus } from "@mesh/ffi/fs";
import {
  actionContentDigest,
  type HeldInstallDriver,
  type InstallDriverObservation,
  type InstallDriverRequest,
  type InstallReason,
  type MaterialIdentity,
  skillObservationDigest,
} from "@mesh/install-engine";
import { SkillCasError } from "../error.ts";
import { conflictError } from "../reason.ts";
import type { StoreExecutor } from "../store/executor.ts";
import type { SkillBodySource } from "./body-source.ts";
import { conflictReason, failureReason, isConflict } from "./reason.ts";

/** What one connected driver works with. */
export interface HeldSkillCasDriverInput {
  readonly request: InstallDriverRequest;
  readonly material: MaterialIdentity;
  readonly bodySource: SkillBodySource;
  readonly executor: StoreExecutor;
}

/** The driver of one action (spec 9.6, 9.7). */
export class HeldSkillCasDriver implements HeldInstallDriver {
  readonly #input: HeldSkillCasDriverInput;
  readonly #actionDigest: string;
  /** Set by a failed apply: what it wrote may only be in the page cache, so this handle never says it is there. */
  #applyFailed: InstallReason | undefined;
  /** What this handle published, as it was when it was durable. */
  #published: FileStatus | undefined;
  #bodyAsked = false;

  constructor(input: HeldSkillCasDriverInput) {
    this.#input = input;
    this.#actionDigest = actionContentDigest(input.request.action);
  }

  async applyOnce(): Promise<void> {
    const { executor, material, request } = this.#input;
    try {
      request.signal?.throwIfAborted();
      const { outcome } = await executor.execute(
        {
          kind: "publish",
          digest: material.contentSha256,
          size: material.contentBytes,
          actionDigest: this.#actionDigest,
        },
        () => this.#loadBody(),
      );
      if (outcome.state !== "exact") {
        throw outcome.state === "conflict" ? conflictError(outcome.reason) : publishedThenGone(material);
      }
      this.#published = outcome.status;
    } catch (error) {
      this.#applyFailed = failureReason(error);
      throw error;
    }
  }

  async reconcile(): Promise<InstallDriverObservation> {
    if (this.#applyFailed !== undefined) {
      return this.#observe("indeterminate", this.#applyFailed);
    }
    const { executor, material } = this.#input;
    try {
      const outcome = await executor.execute({
        kind: "reconcile",
        digest: material.contentSha256,
        size: material.contentBytes,
        actionDigest: this.#actionDigest,
        published: this.#published,
      });
      switch (outcome.state) {
        case "exact":
          return this.#observe("installed-exact");
        case "absent":
          return this.#observe("absent");
        case "conflict":
          return this.#observe("conflict", conflictReason(outcome.reason));
      }
    } catch (error) {
      return this.#observe(isConflict(error) ? "conflict" : "indeterminate", failureReason(error));
    }
  }

  /** The executor belongs to the factory; a connection holds nothing open between its calls. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  /** The body comes from outside: it must be the material, and text (design D12). Its digest is checked by publish. */
  async #loadBody(): Promise<Uint8Array> {
    const { bodySource, request, material } = this.#input;
    if (this.#bodyAsked) {
      throw rejected("a second apply", "one, because a body is asked for at most once");
    }
    this.#bodyAsked = true;
    const body = await bodySource.load(request, material);
    if (!(body instanceof Uint8Array)) {
      throw rejected(`a ${typeof body}`, "a Uint8Array");
    }
    if (body.length !== material.contentBytes) {
      throw rejected(`${body.length} bytes`, `${material.contentBytes} bytes`);
    }
    if (body.includes(0)) {
      throw rejected(`a NUL at byte ${body.indexOf(0)}`, "text without NUL");
    }
    try {
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    } catch (cause) {
      throw rejected("bytes that are not UTF-8", "strict UTF-8", cause);
    }
    return body;
  }

  #observe(state: InstallDriverObservation["state"], reason?: InstallReason): InstallDriverObservation {
    const { request, material } = this.#input;
    const verificationDigest = skillObservationDigest({
      bindingDigest: request.binding.bindingDigest,
      materialIdentityDigest: material.identityDigest,
      state,
    });
    return {
      state,
      verificationDigest,
      ...(state === "installed-exact" ? { observedMaterialIdentityDigest: material.identityDigest } : {}),
      ...(reason === undefined ? {} : { reason }),
    };
  }
}

function rejected(found: string, expected: string, cause?: unknown): SkillCasError {
  return new SkillCasError({
    code: "BODY_REJECTED",
    message: `the body source gave ${found}; expected ${expected}. Nothing was written`,
    cause,
    facts: { found, expected },
  });
}

function publishedThenGone(material: MaterialIdentity): SkillCasError {
  return new SkillCasError({
    code: "OBJECT_MISSING",
    message: `${material.contentSha256}: published, then gone; somebody works in this store without its locks`,
    facts: { digest: material.contentSha256 },
  });
}
