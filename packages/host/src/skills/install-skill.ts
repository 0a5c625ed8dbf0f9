import { randomUUID } from "node:crypto";

import {
  createConsentGuard,
  createConsentPolicy,
  createScope,
  describeInstall,
  type GrantedInstall,
  type InstallConsentPolicy,
  type InstallExecutionReport,
  type InstallOffer,
  type InstallSelection,
  type RequestConsentAction,
  type ScopeRef,
  sha256Hex,
} from "@mesh/install-engine";

import { HostError } from "../error.ts";
import { SKILL_INSTALLER_ID, type SkillHost } from "./skill-host.ts";

/** How the consent to one install is reached. */
export type ConsentChoice =
  /** The policy of this host grants skills without asking, unless they carry a risk. */
  | { readonly kind: "preapproved" }
  /** Somebody is asked; `ask` says whether they granted. */
  | { readonly kind: "ask"; readonly ask: (consent: RequestConsentAction) => Promise<boolean> };

/** What is installed, and what is told while it happens. */
export interface InstallSkillOptions {
  /** Name of the skill, as its frontmatter says. */
  readonly name: string;
  readonly body: string;
  readonly consent: ConsentChoice;
  readonly signal?: AbortSignal;
  readonly onStage?: (stage: InstallStage) => void;
}

/** Where an install has come to. Each is durable when it is told. */
export type InstallStage =
  | { readonly kind: "consent-requested"; readonly consent: RequestConsentAction }
  | { readonly kind: "granted"; readonly granted: GrantedInstall }
  | { readonly kind: "executed"; readonly report: InstallExecutionReport };

/** An install that is settled as applied. */
export interface SkillInstall {
  readonly selection: InstallSelection;
  readonly granted: GrantedInstall;
  readonly report: InstallExecutionReport;
}

/** The catalog of this host has no entries of its own: whatever is named on the command line is its own catalog. */
const CATALOG_SNAPSHOT_DIGEST = sha256Hex("mesh-host-direct-catalog-v1");

/** Each install is a session with a stream of its own, so that two at once never wait for each other's consent. */
export function newInstallScope(): ScopeRef {
  return createScope({
    tenantId: "local",
    workspaceId: "mesh",
    repositoryId: "skills",
    sessionId: `install-${randomUUID()}`,
  });
}

/**
 * Installs one skill: policy, consent, action, durable claim, driver, outcome, settlement. A run that ends without knowing
 * what happened is looked at once more by a fresh handle, which never applies.
 *
 * @throws HostError `CONSENT_DENIED`, `INSTALL_FAILED` (nothing of it is there), `INSTALL_UNRESOLVED` (a person is needed);
 *   InstallEngineError and SkillCasError of the parts.
 */
export async function installSkill(host: SkillHost, options: InstallSkillOptions): Promise<SkillInstall> {
  const selection = describeInstall({
    capabilityId: `skill:${options.name}`,
    body: options.body,
    installerId: SKILL_INSTALLER_ID,
  });
  const granted = await reachConsent(host, selection, options);
  options.onStage?.({ kind: "granted", granted });
  const report = await execute(host, granted, options.signal);
  options.onStage?.({ kind: "executed", report });
  const concluded = report.outcome === "indeterminate" ? await execute(host, granted, options.signal) : report;
  if (concluded.outcome === "applied" && concluded.settled) return { selection, granted, report: concluded };
  throw installFailure(options.name, report, concluded);
}

async function reachConsent(
  host: SkillHost,
  selection: InstallSelection,
  { consent, signal, onStage }: InstallSkillOptions,
): Promise<GrantedInstall> {
  const policy = createConsentPolicy(consent.kind === "preapproved" ? { skillMode: "preapproved-auto" } : {});
  const wait = signal === undefined ? {} : { signal };
  const offer = await host.engine.planInstall(
    { scope: newInstallScope(), selection, policy, catalogSnapshotDigest: CATALOG_SNAPSHOT_DIGEST },
    wait,
  );
  const request = requestedConsent(offer);
  onStage?.({ kind: "consent-requested", consent: request });
  const decision = await decide(host, request, policy, selection, consent, wait);
  if (decision.kind === "granted") return decision.granted;
  throw new HostError({
    code: "CONSENT_DENIED",
    message: `${selection.capabilityId} was not installed: consent was ${decision.kind}. Nothing was changed in the store. Answer y, or pass --yes, to consent.`,
  });
}

/** The stream is new, so nothing in it can be pending, waiting or blocked: anything else is a defect, and said so. */
function requestedConsent(offer: InstallOffer): RequestConsentAction {
  if (offer.kind === "consent-required") return offer.consent;
  throw new HostError({
    code: "INSTALL_UNRESOLVED",
    message: `the journal answered a new install with "${offer.kind}"; expected a request for consent`,
    found: offer.kind,
    expected: "consent-required",
  });
}

async function decide(
  host: SkillHost,
  request: RequestConsentAction,
  policy: InstallConsentPolicy,
  selection: InstallSelection,
  consent: ConsentChoice,
  wait: { readonly signal?: AbortSignal },
): ReturnType<SkillHost["engine"]["decide"]> {
  if (request.payload.route.basis === "preapproved-policy") {
    const source = { currentPolicy: () => policy, descriptor: () => selection.authority.descriptor };
    return host.engine.decide({ consent: request, basis: "preapproved-policy", source }, wait);
  }
  const answer = consent.kind === "ask" && (await consent.ask(request)) ? "granted" : "denied";
  const guard = createConsentGuard(request, answer);
  return host.engine.decide({ consent: request, basis: "interactive", answer, guard }, wait);
}

/** One handle, one run. */
export function execute(
  host: SkillHost,
  granted: GrantedInstall,
  signal: AbortSignal | undefined,
): Promise<InstallExecutionReport> {
  const handle = host.engine.prepareInstallExecution({ ...granted, registry: host.registry });
  return handle.execute(signal === undefined ? {} : { signal });
}

function installFailure(name: string, first: InstallExecutionReport, last: InstallExecutionReport): HostError {
  const reason = first.reason ?? last.reason;
  const facts = Object.entries(reason?.facts ?? {}).map(([fact, value]) => `${fact} ${String(value)}`);
  const why = `${reason?.code ?? "no reason was given"}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
  if (last.outcome === "failed") {
    return new HostError({
      code: "INSTALL_FAILED",
      message: `skill:${name} was not installed: ${why}. The store was looked at: nothing of it is there, and the install may be tried again.`,
      ...(reason === null ? {} : { reason: reason.code }),
    });
  }
  return new HostError({
    code: "INSTALL_UNRESOLVED",
    message: `skill:${name} may or may not be installed: ${why}. Nothing was overwritten. Run \`mesh skill verify\` to see the store, then \`mesh skill recover\`.`,
    ...(reason === null ? {} : { reason: reason.code }),
  });
}
