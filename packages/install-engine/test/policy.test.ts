import fc from "fast-check";
import { expect, test } from "vitest";
import { createConsentPolicy, describeInstall, routeConsent } from "../src/index.ts";

const mode = fc.constantFrom("preapproved-auto" as const, "ask-each-time" as const);
const kind = fc.constantFrom("skill" as const, "agent" as const, "mcp-server" as const);

test("a policy grants alone exactly where its mode for the kind says so and no risk flag is set", () => {
  fc.assert(
    fc.property(
      kind,
      mode,
      mode,
      mode,
      fc.boolean(),
      fc.boolean(),
      (of, skillMode, agentMode, mcpServerMode, permissionExpansion, credentialRequirement) => {
        const policy = createConsentPolicy({ skillMode, agentMode, mcpServerMode });
        const { descriptor } = describeInstall({
          capabilityId: `${of}:a`,
          body: "x",
          installerId: "installer-1",
          permissionExpansion,
          credentialRequirement,
        }).authority;
        const modes = { skill: skillMode, agent: agentMode, "mcp-server": mcpServerMode };
        const alone = modes[of] === "preapproved-auto" && !permissionExpansion && !credentialRequirement;
        expect(routeConsent(policy, descriptor).basis).toBe(alone ? "preapproved-policy" : "interactive");
      },
    ),
  );
});
