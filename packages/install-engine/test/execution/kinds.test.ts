import { expect, test } from "vitest";
import {
  createConsentGuard,
  createConsentPolicy,
  createInstallDriverRegistry,
  type DecideRequest,
  describeInstall,
  type InstallableKind,
} from "../../src/index.ts";
import { BODY, CATALOG_DIGEST, INSTALLER_ID, openBench, SCOPE } from "../support/bench.ts";

const KINDS = ["skill", "agent", "mcp-server"] as const satisfies readonly InstallableKind[];
const ROUTES = ["interactive", "preapproved-policy"] as const;

test.each(KINDS.flatMap((kind) => ROUTES.map((route) => [kind, route] as const)))(
  "a %s can be installed by a driver for its kind, granted by %s",
  async (kind, route) => {
    const { engine, registry } = await openBench();
    const [skill] = registry.registrations;
    if (skill === undefined) throw new Error("no registration");
    const everyKind = createInstallDriverRegistry(KINDS.map((capabilityKind) => ({ ...skill, capabilityKind })));
    const selection = describeInstall({
      capabilityId: `${kind}:remote-testing`,
      body: BODY,
      installerId: INSTALLER_ID,
    });
    const mode = route === "interactive" ? "ask-each-time" : "preapproved-auto";
    const policy = createConsentPolicy({ skillMode: mode, agentMode: mode, mcpServerMode: mode });
    const offer = await engine.planInstall({ scope: SCOPE, selection, policy, catalogSnapshotDigest: CATALOG_DIGEST });
    if (offer.kind !== "consent-required") throw new Error(offer.kind);
    const { consent } = offer;
    expect(consent.payload.route.basis).toBe(route);
    const request: DecideRequest =
      route === "interactive"
        ? { consent, basis: route, answer: "granted", guard: createConsentGuard(consent, "granted") }
        : {
            consent,
            basis: route,
            source: { currentPolicy: () => policy, descriptor: () => selection.authority.descriptor },
          };
    const decision = await engine.decide(request);
    if (decision.kind !== "granted") throw new Error(decision.kind);
    const run = engine.prepareInstallExecution({ ...decision.granted, registry: everyKind });
    expect(await run.execute()).toMatchObject({ outcome: "applied", settled: true });
  },
);
