import { expect, test } from "vitest";
import {
  CONSENT_LIFE_MS,
  type ConsentPolicySource,
  createConsentGuard,
  createConsentPolicy,
  createInstallPlanDescriptor,
  describeInstall,
  type InstallEngine,
  type InstallSelection,
  type InteractiveConsentGuard,
  type JournalStore,
  type RequestConsentAction,
} from "../../src/index.ts";
import {
  answer,
  BODY,
  CATALOG_DIGEST,
  INSTALLER_ID,
  openBench,
  planOne,
  SCOPE,
  selectionOf,
} from "../support/bench.ts";

const PREAPPROVED = createConsentPolicy({ skillMode: "preapproved-auto" });

function sourceOf(selection: InstallSelection, policy = PREAPPROVED): ConsentPolicySource {
  return { currentPolicy: () => policy, descriptor: () => selection.authority.descriptor };
}

async function planPreapproved(engine: InstallEngine, selection = selectionOf()): Promise<RequestConsentAction> {
  const offer = await engine.planInstall({
    scope: SCOPE,
    selection,
    policy: PREAPPROVED,
    catalogSnapshotDigest: CATALOG_DIGEST,
  });
  if (offer.kind !== "consent-required") throw new Error(offer.kind);
  return offer.consent;
}

/** A guard that writes down what is done with it. */
function loggingGuard(log: string[]): InteractiveConsentGuard {
  const note = (what: string) => () => {
    log.push(what);
    return Promise.resolve();
  };
  return {
    reserve: (_request, given) => {
      log.push(`reserve ${given}`);
      return Promise.resolve({ settle: note("settle"), release: note("release") });
    },
  };
}

/** A journal whose commits are written down, and fail on demand. */
function noting(journal: JournalStore, log: string[], failing: () => boolean): JournalStore {
  return new Proxy(journal, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") {
        return member;
      }
      return (...parameters: unknown[]) => {
        if (name === "commit") {
          log.push("commit");
          if (failing()) {
            return Promise.reject(new Error("the disk is full"));
          }
        }
        return Reflect.apply(member, target, parameters) as unknown;
      };
    },
  });
}

test.each(["granted", "denied"] as const)("the guard is held over the commit of an answer: %s", async (given) => {
  const log: string[] = [];
  const { engine } = await openBench({ wrap: (journal) => noting(journal, log, () => false) });
  const consent = await planOne(engine);
  log.length = 0;
  const decision = await engine.decide({ consent, basis: "interactive", answer: given, guard: loggingGuard(log) });
  expect(decision.kind).toBe(given);
  expect(log).toEqual([`reserve ${given}`, "commit", "settle"]);
});

test("the guard is released when the commit fails, and may be used again", async () => {
  const log: string[] = [];
  let failing = false;
  const { engine } = await openBench({ wrap: (journal) => noting(journal, log, () => failing) });
  const consent = await planOne(engine);
  log.length = 0;
  failing = true;
  const request = { consent, basis: "interactive", answer: "granted", guard: loggingGuard(log) } as const;
  await expect(engine.decide(request)).rejects.toThrow("the disk is full");
  expect(log).toEqual(["reserve granted", "commit", "release"]);
  failing = false;
  expect(await engine.decide(request)).toMatchObject({ kind: "granted" });
});

test("what a guard or a policy source says when it fails is not passed on", async () => {
  const { engine } = await openBench();
  const consent = await planPreapproved(engine);
  const secret = (): never => {
    throw new Error("prompt text of a person");
  };
  const guard = { reserve: () => Promise.reject(new Error("prompt text of a person")) };
  for (const decide of [
    engine.decide({ consent, basis: "preapproved-policy", source: { currentPolicy: secret, descriptor: secret } }),
    engine.decide({ consent, basis: "interactive", answer: "denied", guard }),
  ]) {
    const error: unknown = await decide.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "CONSENT_GUARD_FAILED" });
    expect(error).not.toHaveProperty("cause");
    expect(String(error)).not.toContain("prompt text");
  }
});

test("a guard of this package is good for one answer to one request", async () => {
  const { engine } = await openBench();
  const consent = await planOne(engine);
  const guard = createConsentGuard(consent, "granted");
  await expect(engine.decide({ consent, basis: "interactive", answer: "denied", guard })).rejects.toMatchObject({
    code: "CONSENT_GUARD_FAILED",
  });
  expect(await engine.decide({ consent, basis: "interactive", answer: "granted", guard })).toMatchObject({
    kind: "granted",
  });
  await expect(guard.reserve(consent, "granted")).rejects.toMatchObject({ code: "CONSENT_GUARD_FAILED" });
});

test("a denied descriptor is blocked; another descriptor of the same capability is not", async () => {
  const { engine } = await openBench();
  await answer(engine, await planOne(engine), "denied");
  const request = { scope: SCOPE, policy: createConsentPolicy(), catalogSnapshotDigest: CATALOG_DIGEST };
  expect(await engine.planInstall({ ...request, selection: selectionOf() })).toMatchObject({ kind: "blocked" });
  const other = selectionOf("remote-testing", `${BODY}More.\n`);
  expect(await engine.planInstall({ ...request, selection: other })).toMatchObject({ kind: "consent-required" });
});

test("consent ends exactly at its expiry: before it a grant, from it on none", async () => {
  const { engine, clock } = await openBench();
  const late = await planOne(engine);
  clock.milliseconds += CONSENT_LIFE_MS;
  await expect(answer(engine, late)).rejects.toMatchObject({ code: "CONSENT_EXPIRED" });
  const again = await planOne(engine);
  clock.milliseconds += CONSENT_LIFE_MS - 1;
  expect(await answer(engine, again)).toMatchObject({ kind: "granted" });
});

test("an expired request is retired and may be planned again; an expired decision blocks", async () => {
  const { engine, clock } = await openBench();
  const consent = await planOne(engine);
  await expect(engine.expireConsent(consent)).rejects.toMatchObject({ code: "CONSENT_NOT_EXPIRED" });
  await expect(answer(engine, consent, "expired")).rejects.toMatchObject({ code: "CONSENT_NOT_EXPIRED" });
  clock.milliseconds += CONSENT_LIFE_MS;
  await engine.expireConsent(consent);
  expect(await engine.overview(SCOPE)).toMatchObject({ consent: null, blockedDescriptorDigests: [] });

  const again = await planOne(engine);
  clock.milliseconds += CONSENT_LIFE_MS;
  expect(await answer(engine, again, "expired")).toEqual({ kind: "expired" });
  expect(await engine.overview(SCOPE)).toMatchObject({
    blockedDescriptorDigests: [selectionOf().authority.descriptor.descriptorDigest],
  });
});

test("the journal's clock is asked again in the transaction: a grant that waited past its expiry is refused", async () => {
  const bench = await openBench({
    wrap: (journal) =>
      new Proxy(journal, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== "function") return member;
          return (...parameters: unknown[]) => {
            if (name === "commit") bench.clock.milliseconds += delay;
            return Reflect.apply(member, target, parameters) as unknown;
          };
        },
      }),
  });
  let delay = 0;
  const consent = await planOne(bench.engine);
  delay = CONSENT_LIFE_MS;
  await expect(answer(bench.engine, consent)).rejects.toMatchObject({ code: "CONSENT_EXPIRED" });
});

test("another event invalidates an outstanding request, and the offer is made again", async () => {
  const { engine } = await openBench();
  const first = await planOne(engine, selectionOf("first"));
  const offer = await engine.planInstall({
    scope: SCOPE,
    selection: selectionOf("second"),
    policy: createConsentPolicy(),
    catalogSnapshotDigest: CATALOG_DIGEST,
  });
  expect(offer).toMatchObject({ kind: "waiting", consent: { entityId: "skill:first" } });
  await expect(answer(engine, first)).rejects.toMatchObject({ code: "CONSENT_NOT_PENDING" });
  if (offer.kind !== "waiting") throw new Error(offer.kind);
  await answer(engine, offer.consent);
  expect((await engine.overview(SCOPE))?.consent).toMatchObject({ entityId: "skill:second" });
});

test("a request with one changed member is refused", async () => {
  const { engine } = await openBench();
  const consent = await planOne(engine);
  const guard = createConsentGuard(consent, "granted");
  const changed = { ...consent, expiresAt: "2027-01-01T00:00:00Z" };
  await expect(
    engine.decide({ consent: changed, basis: "interactive", answer: "granted", guard }),
  ).rejects.toMatchObject({ code: "ACTION_SUBSTITUTED" });
  const elsewhere = { ...consent, scope: { ...consent.scope, sessionId: "session-2" } };
  await expect(
    engine.decide({ consent: elsewhere, basis: "interactive", answer: "granted", guard }),
  ).rejects.toMatchObject({ code: "CONSENT_NOT_PENDING" });
});

test("a matching policy grants without a person", async () => {
  const { engine } = await openBench();
  const selection = selectionOf();
  const consent = await planPreapproved(engine, selection);
  expect(consent.payload.route).toEqual({ basis: "preapproved-policy", reason: "matching-preapproved-policy" });
  const decision = await engine.decide({ consent, basis: "preapproved-policy", source: sourceOf(selection) });
  expect(decision).toMatchObject({ kind: "granted" });
});

test("a policy that changed since, and a descriptor that changed since, grant nothing", async () => {
  const { engine } = await openBench();
  const selection = selectionOf();
  const consent = await planPreapproved(engine, selection);
  const stricter = sourceOf(selection, createConsentPolicy());
  await expect(engine.decide({ consent, basis: "preapproved-policy", source: stricter })).rejects.toMatchObject({
    code: "POLICY_SUBSTITUTED",
  });
  const { descriptorDigest: unchanged, ...members } = selection.authority.descriptor;
  const changed = createInstallPlanDescriptor({ ...members, provenanceDigest: CATALOG_DIGEST });
  expect(changed.descriptorDigest).not.toBe(unchanged);
  const source = { ...sourceOf(selection), descriptor: () => changed };
  await expect(engine.decide({ consent, basis: "preapproved-policy", source })).rejects.toMatchObject({
    code: "DESCRIPTOR_SUBSTITUTED",
  });
});

test("policy and descriptor are read again immediately before the commit", async () => {
  const log: string[] = [];
  const { engine } = await openBench({ wrap: (journal) => noting(journal, log, () => false) });
  const selection = selectionOf();
  const consent = await planPreapproved(engine, selection);
  log.length = 0;
  const source: ConsentPolicySource = {
    currentPolicy: () => {
      log.push("policy");
      return PREAPPROVED;
    },
    descriptor: () => {
      log.push("descriptor");
      return selection.authority.descriptor;
    },
  };
  await engine.decide({ consent, basis: "preapproved-policy", source });
  expect(log).toEqual(["policy", "descriptor", "commit"]);
});

test.each([
  ["permissionExpansion", "permission-expansion-requires-consent"],
  ["credentialRequirement", "credentials-require-consent"],
] as const)("%s needs a person, whatever the policy says", async (flag, reason) => {
  const { engine } = await openBench();
  const selection = describeInstall({
    capabilityId: "skill:remote-testing",
    body: BODY,
    installerId: INSTALLER_ID,
    [flag]: true,
  });
  const consent = await planPreapproved(engine, selection);
  expect(consent.payload.route).toEqual({ basis: "interactive", reason });
  await expect(
    engine.decide({ consent, basis: "preapproved-policy", source: sourceOf(selection) }),
  ).rejects.toMatchObject({ code: "CONSENT_ROUTE_REFUSED" });
});

test("planning the same again finds the standing offer, and after the grant the pending install", async () => {
  const { engine, journal } = await openBench();
  const consent = await planOne(engine);
  const head = await journal.head();
  expect(await planOne(engine)).toEqual(consent);
  expect(await journal.head()).toEqual(head);
  const decision = await answer(engine, consent);
  const offer = await engine.planInstall({
    scope: SCOPE,
    selection: selectionOf(),
    policy: createConsentPolicy(),
    catalogSnapshotDigest: CATALOG_DIGEST,
  });
  expect(offer).toEqual({ ...decision, kind: "pending" });
});
