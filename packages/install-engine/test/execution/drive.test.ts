import { expect, test } from "vitest";
import { sha256Hex } from "../../src/index.ts";
import { grantOne, openBench, shelfRegistry } from "../support/bench.ts";
import type { ShelfFaults } from "../support/shelf.ts";

function fail(): never {
  throw Object.assign(new Error("secret text of a person"), { code: "EIO", errno: 5, syscall: "fsync" });
}

const EIO = { errorName: "Error", errorCode: "EIO", errno: 5, syscall: "fsync" };

// What a driver can do wrong, the reason of the report, and its facts.
const FAULTS: readonly (readonly [name: string, faults: ShelfFaults, code: string, facts: object])[] = [
  ["connect fails", { connect: fail }, "driver-connect-failed", EIO],
  ["reconcile fails", { reconcile: fail }, "driver-reconcile-failed", EIO],
  ["reconcile answers nothing", { reconcile: () => undefined }, "driver-observation-malformed", {}],
  [
    "reconcile answers exact without the material",
    { reconcile: () => ({ state: "installed-exact", verificationDigest: sha256Hex("x") }) },
    "driver-observation-malformed",
    {},
  ],
  [
    "reconcile answers a member that no observation has",
    { reconcile: () => ({ state: "absent", verificationDigest: sha256Hex("x"), extra: 1 }) },
    "driver-observation-malformed",
    {},
  ],
  ["release fails", { release: fail }, "driver-release-failed", EIO],
  [
    "another material was seen",
    {
      reconcile: () => ({
        state: "installed-exact",
        verificationDigest: sha256Hex("x"),
        observedMaterialIdentityDigest: sha256Hex("other"),
      }),
    },
    "observed-other-material",
    { found: sha256Hex("other") },
  ],
  [
    "a conflict without a reason",
    { reconcile: () => ({ state: "conflict", verificationDigest: sha256Hex("x") }) },
    "observed-conflict",
    {},
  ],
  [
    "an indeterminate look with the driver's reason",
    {
      reconcile: () => ({
        state: "indeterminate",
        verificationDigest: sha256Hex("x"),
        reason: { code: "sync-failed", facts: { errno: 28 } },
      }),
    },
    "sync-failed",
    { errno: 28 },
  ],
];

test.each(FAULTS)(
  "%s: the claim stays open with a reason, and the next handle settles",
  async (_name, faults, code, facts) => {
    const { engine, registry, shelf } = await openBench();
    const granted = await grantOne(engine);
    const broken = shelfRegistry({ shelf, faults });

    const report = await engine.prepareInstallExecution({ ...granted, registry: broken }).execute();

    expect(report).toMatchObject({ outcome: "indeterminate", claimWasNew: true, settled: false, transition: null });
    expect(report.reason).toMatchObject({ code, facts });
    expect(JSON.stringify(report)).not.toContain("secret");
    expect(await engine.status(granted.action)).toMatchObject({ state: "claimed" });

    const next = await engine.prepareInstallExecution({ ...granted, registry }).execute();
    expect(next).toMatchObject({ claimWasNew: false, settled: true });
    expect(next.outcome).toBe(shelf.applyCalls === 1 ? "applied" : "failed");
    expect(shelf.applyCalls).toBeLessThanOrEqual(1);
  },
);

test("a driver without its methods is no driver", async () => {
  const { engine, registry } = await openBench();
  const granted = await grantOne(engine);
  const [registration] = registry.registrations;
  if (registration === undefined) throw new Error("no registration");
  const factory = { absenceProves: "nothing" as const, connect: () => Promise.resolve({} as never) };
  const report = await engine
    .prepareInstallExecution({ ...granted, registry: { ...registry, resolve: () => ({ ...registration, factory }) } })
    .execute();
  expect(report).toMatchObject({ outcome: "indeterminate", reason: { code: "driver-malformed" } });
});

test("an apply that failed is no verdict: what is seen decides, and why it failed is kept", async () => {
  const { engine, shelf } = await openBench();
  const granted = await grantOne(engine);
  const wrote = shelfRegistry({ shelf, faults: { apply: { wrote: true, fail } } });
  const report = await engine.prepareInstallExecution({ ...granted, registry: wrote }).execute();
  expect(report).toMatchObject({
    outcome: "applied",
    settled: true,
    reason: { code: "driver-apply-failed", facts: EIO },
  });
});
