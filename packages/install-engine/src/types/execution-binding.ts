import { z } from "zod";
import { sha256Hex } from "../digest.ts";
import { check, checkCanonicalText, digestIssue } from "../parse.ts";
import { wireDigest, wireText } from "../wire.ts";
import { digestSchema, tokenSchema } from "./identifiers.ts";

const members = {
  driverId: tokenSchema,
  driverDigest: digestSchema,
  hostIdentityDigest: digestSchema,
  targetIdentityDigest: digestSchema,
};

const inputSchema = z.strictObject(members);

/** Fields of an execution binding. */
export const executionBindingSchema = z
  .strictObject({ ...members, bindingDigest: digestSchema })
  .readonly()
  .refine((value) => executionBindingDigest(value) === value.bindingDigest, digestIssue("bindingDigest"));

/** Which driver acts, on which host, on which target (spec 3). A claim names one, and no other may finish it. */
export type InstallExecutionBinding = z.output<typeof executionBindingSchema>;

/** What a binding is made from. */
export type InstallExecutionBindingInput = Omit<InstallExecutionBinding, "bindingDigest">;

/** The only driver digest that is trusted (spec 2.1, installer digest): typed plans alone, no raw command. */
export const INSTALLER_DIGEST: string = sha256Hex("ctx-install-plan-executor-v1:typed-plan-only:no-raw-command");

/**
 * Makes a binding and computes its digest.
 *
 * @throws InstallEngineError INVALID_VALUE
 */
export function createExecutionBinding(input: InstallExecutionBindingInput): InstallExecutionBinding {
  const value = check(inputSchema, input, "execution binding");
  return Object.freeze({ ...value, bindingDigest: executionBindingDigest(value) });
}

/** The canonical text that a claim row keeps. */
export function executionBindingText(binding: InstallExecutionBinding): string {
  return wireText(binding, "ascii");
}

/**
 * Parses the text of a claim row; only the canonical text is accepted.
 *
 * @throws InstallEngineError NOT_CANONICAL, INVALID_VALUE, DIGEST_MISMATCH
 */
export function parseExecutionBinding(text: string): InstallExecutionBinding {
  return checkCanonicalText(executionBindingSchema, text, "ascii", "execution binding");
}

/** SHA-256 of A{driver_id, driver_digest, host_identity_digest, target_identity_digest, schema} (spec 2.1). */
export function executionBindingDigest(value: z.output<typeof inputSchema>): string {
  const { driverId, driverDigest, hostIdentityDigest, targetIdentityDigest } = value;
  return wireDigest(
    {
      driverId,
      driverDigest,
      hostIdentityDigest,
      targetIdentityDigest,
      schema: "ctx.install-execution-binding-v1",
    },
    "ascii",
  );
}
