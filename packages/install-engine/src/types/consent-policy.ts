import { z } from "zod";
import { check, checkWire, digestIssue } from "../parse.ts";
import { wireDigest } from "../wire.ts";
import { digestSchema } from "./identifiers.ts";

const modeSchema = z.enum(["preapproved-auto", "ask-each-time"]);

const members = { skillMode: modeSchema, agentMode: modeSchema, mcpServerMode: modeSchema };

const inputSchema = z.strictObject(members);

/** Fields of a consent policy. */
export const consentPolicySchema = z
  .strictObject({ ...members, policyDigest: digestSchema })
  .readonly()
  .refine((value) => consentPolicyDigest(value) === value.policyDigest, digestIssue("policyDigest"));

/** Whether an install of a kind asks a person each time (spec 3). */
export type InstallConsentPolicy = z.output<typeof consentPolicySchema>;

/** `ask-each-time` asks a person; `preapproved-auto` lets the policy grant, unless a risk flag is set. */
export type ConsentMode = z.output<typeof modeSchema>;

/** What a policy is made from; a kind that is not named asks each time. */
export type InstallConsentPolicyInput = Partial<Omit<InstallConsentPolicy, "policyDigest">>;

/**
 * Makes a policy and computes its digest.
 *
 * @throws InstallEngineError INVALID_VALUE
 */
export function createConsentPolicy(input: InstallConsentPolicyInput = {}): InstallConsentPolicy {
  const value = check(
    inputSchema,
    { skillMode: "ask-each-time", agentMode: "ask-each-time", mcpServerMode: "ask-each-time", ...input },
    "install consent policy",
  );
  return Object.freeze({ ...value, policyDigest: consentPolicyDigest(value) });
}

/**
 * Parses the wire shape and recomputes the digest.
 *
 * @throws InstallEngineError INVALID_VALUE, DIGEST_MISMATCH
 */
export function parseConsentPolicy(wire: unknown): InstallConsentPolicy {
  return checkWire(consentPolicySchema, wire, "install consent policy");
}

/** SHA-256 of A{skill_mode, agent_mode, mcp_server_mode, schema} (spec 2.1). */
export function consentPolicyDigest(value: z.output<typeof inputSchema>): string {
  const { skillMode, agentMode, mcpServerMode } = value;
  return wireDigest({ skillMode, agentMode, mcpServerMode, schema: "ctx.install-consent-policy-v1" }, "ascii");
}
