import type { ConsentRoute } from "./types/action.ts";
import type { ConsentMode, InstallConsentPolicy } from "./types/consent-policy.ts";
import type { InstallPlanDescriptor } from "./types/install-plan-descriptor.ts";

/**
 * Who may grant an install (spec 3, routing order). The risk flags come first: no policy preapproves an install that
 * asks for more permission or for credentials.
 */
export function routeConsent(policy: InstallConsentPolicy, descriptor: InstallPlanDescriptor): ConsentRoute {
  if (descriptor.permissionExpansion) {
    return { basis: "interactive", reason: "permission-expansion-requires-consent" };
  }
  if (descriptor.credentialRequirement) {
    return { basis: "interactive", reason: "credentials-require-consent" };
  }
  return modeOf(policy, descriptor.kind) === "preapproved-auto"
    ? { basis: "preapproved-policy", reason: "matching-preapproved-policy" }
    : { basis: "interactive", reason: "per-install-consent-required" };
}

function modeOf(policy: InstallConsentPolicy, kind: InstallPlanDescriptor["kind"]): ConsentMode {
  switch (kind) {
    case "skill":
      return policy.skillMode;
    case "agent":
      return policy.agentMode;
    case "mcp-server":
      return policy.mcpServerMode;
  }
}
