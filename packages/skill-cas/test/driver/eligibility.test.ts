import { mkdirSync, readdirSync, renameSync } from "node:fs";
import { type InstallDriverRequest, sha256Hex } from "@mesh/install-engine";
import { describe, expect, it } from "vitest";
import { MATERIAL_BYTES_MAX } from "../../src/layout.ts";
import { failureOf } from "../failure.ts";
import { openBench } from "./bench.ts";

/** The request with one field changed, which the types of its callers would not allow. */
function withField(request: InstallDriverRequest, path: string, value: unknown): InstallDriverRequest {
  const changed = structuredClone(request);
  const names = path.split(".");
  const last = names.pop() ?? "";
  let holder: object = changed;
  for (const name of names) holder = Object(Reflect.get(holder, name)) as object;
  expect(Reflect.has(holder, last), path).toBe(true);
  Reflect.set(holder, last, value);
  return changed;
}

const MATERIAL = "action.payload.resultMaterial";
const BYTES = `material.contentBytes in 1..${MATERIAL_BYTES_MAX}`;

/** A field, what somebody could put there, and the name under which it is refused. */
const REFUSED: readonly [string, unknown, string][] = [
  ["binding.driverId", "another-driver", "binding.driverId"],
  ["binding.hostIdentityDigest", sha256Hex("another host"), "binding.hostIdentityDigest"],
  ["binding.targetIdentityDigest", sha256Hex("another root"), "binding.targetIdentityDigest"],
  ["descriptor.installerId", "another-installer", "descriptor.installerId"],
  ["descriptor.kind", "agent", "descriptor.kind"],
  ["descriptor.permissionExpansion", true, "descriptor.permissionExpansion"],
  ["descriptor.credentialRequirement", true, "descriptor.credentialRequirement"],
  ["descriptor.resultMaterialIdentityDigest", sha256Hex("another material"), "descriptor promises the material"],
  ["descriptor.capabilityId", "skill:another", "descriptor promises the material"],
  ["descriptor.planDigest", sha256Hex("another plan"), "descriptor.descriptorDigest"],
  ["descriptor.descriptorDigest", sha256Hex("another descriptor"), "descriptor.descriptorDigest"],
  ["action.payload.capabilityKind", "mcp-server", "action.payload.capabilityKind"],
  [`${MATERIAL}.kind`, "agent", "material.kind"],
  [`${MATERIAL}.contentSha256`, "../../etc/passwd", "material.contentSha256 is a digest"],
  [`${MATERIAL}.contentSha256`, sha256Hex("another body"), "material.identityDigest"],
  [`${MATERIAL}.contentBytes`, 79, "material.identityDigest"],
  [`${MATERIAL}.contentBytes`, 0, BYTES],
  [`${MATERIAL}.contentBytes`, 79.5, BYTES],
  [`${MATERIAL}.contentBytes`, MATERIAL_BYTES_MAX + 1, BYTES],
];

describe("a request that this driver may not serve", () => {
  it.each(REFUSED)("with %s %s is refused as %s, before a body is loaded", async (path, value, what) => {
    const bench = await openBench();
    const factory = bench.factory();
    const error = await failureOf(() => factory.connect(withField(bench.request(factory), path, value)));
    expect(error).toMatchObject({ code: "NOT_ELIGIBLE", facts: { what } });
    expect(bench.source.loads).toBe(0);
    expect(bench.names()).toEqual([]);
  });

  it("is refused where the root was replaced since the driver was made", async () => {
    const bench = await openBench();
    const factory = bench.factory();
    const request = bench.request(factory);
    renameSync(bench.root, `${bench.root}-moved`);
    mkdirSync(bench.root, { mode: 0o700 });
    expect(await failureOf(() => factory.connect(request))).toMatchObject({ code: "ROOT_CHANGED" });
    expect(bench.source.loads).toBe(0);
    expect(readdirSync(`${bench.root}-moved`).filter((name) => !name.startsWith(".mesh-"))).toEqual([]);
  });

  it("is refused by a factory that was closed", async () => {
    const bench = await openBench();
    const factory = bench.factory();
    await factory.close();
    expect(await failureOf(() => factory.connect(bench.request(factory)))).toMatchObject({ code: "STORE_CLOSED" });
  });
});

describe("a request as the engine makes it", () => {
  it("connects, applies once and is observed", async () => {
    const bench = await openBench();
    const factory = bench.factory();
    await using driver = await factory.connect(bench.request(factory));
    await driver.applyOnce();
    const { identityDigest } = bench.granted.action.payload.resultMaterial;
    expect(await driver.reconcile()).toMatchObject({
      state: "installed-exact",
      observedMaterialIdentityDigest: identityDigest,
    });
    expect(bench.source.loads).toBe(1);
  });
});
