import { expect, test } from "vitest";
import { createExecutionBinding, createInstallDriverRegistry, INSTALLER_DIGEST, sha256Hex } from "../src/index.ts";
import { grantOne, openBench, shelfRegistry } from "./support/bench.ts";
import { Shelf } from "./support/shelf.ts";
import { without } from "./support/without.ts";

const [SKILL] = shelfRegistry({ shelf: new Shelf() }).registrations;
if (SKILL === undefined) throw new Error("no registration");

test("a registry needs a driver, and each key once", () => {
  expect(() => createInstallDriverRegistry([])).toThrow(expect.objectContaining({ code: "INVALID_VALUE" }));
  expect(() => createInstallDriverRegistry([SKILL, SKILL])).toThrow(
    expect.objectContaining({ code: "DRIVER_DUPLICATE" }),
  );
});

test("one installer may serve several kinds", () => {
  const registry = createInstallDriverRegistry([SKILL, { ...SKILL, capabilityKind: "agent" }]);
  expect(registry.registrations.map((registration) => registration.capabilityKind)).toEqual(["skill", "agent"]);
});

test("a factory without connect, or without a word on absence, is refused", () => {
  const { factory } = SKILL;
  for (const broken of [
    { ...factory, connect: undefined },
    { ...factory, absenceProves: "everything" },
  ]) {
    expect(() => createInstallDriverRegistry([{ ...SKILL, factory: broken as never }])).toThrow(
      expect.objectContaining({
        code: "INVALID_VALUE",
        facts: expect.objectContaining({ field: "factory" }) as object,
      }),
    );
  }
});

test("a binding that was tampered with is refused", () => {
  const binding = { ...SKILL.binding, hostIdentityDigest: sha256Hex("other") };
  expect(() => createInstallDriverRegistry([{ ...SKILL, binding }])).toThrow(
    expect.objectContaining({ code: "DIGEST_MISMATCH" }),
  );
});

test("an action finds no driver of another kind, id or digest", async () => {
  const { engine } = await openBench();
  const granted = await grantOne(engine);
  const members = without(SKILL.binding, "bindingDigest");
  const cases = [
    [{ ...SKILL, capabilityKind: "agent" as const }, "DRIVER_NOT_REGISTERED"],
    [{ ...SKILL, binding: createExecutionBinding({ ...members, driverId: "another" }) }, "DRIVER_NOT_REGISTERED"],
    [
      { ...SKILL, binding: createExecutionBinding({ ...members, driverDigest: sha256Hex("x") }) },
      "BINDING_SUBSTITUTED",
    ],
  ] as const;
  expect(members.driverDigest).toBe(INSTALLER_DIGEST);
  for (const [registration, code] of cases) {
    const registry = createInstallDriverRegistry([registration]);
    expect(() => engine.prepareInstallExecution({ ...granted, registry })).toThrow(expect.objectContaining({ code }));
  }
});
