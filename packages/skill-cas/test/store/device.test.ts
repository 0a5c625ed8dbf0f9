import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SimulatedDisk } from "@mesh/testkit/simulated-disk";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkObject } from "../../src/read.ts";
import { type ObjectFinding, openSkillStore, openSkillStoreSync } from "../../src/index.ts";
import { NO_FAULT, runFaulty } from "../faults/simulated-run.ts";
import { ADDRESS, BYTES } from "../simulation/put.ts";
import { OWNER } from "../simulation/interpreter.ts";

describe("verify with device", () => {
  it("finds bytes that a failed sync left in memory alone, where memory still shows them", () => {
    // No real disk fails a sync on demand, so the disk is simulated.
    const disk = new SimulatedDisk();
    const object = disk.place(ADDRESS.digest, {
      kind: "regular",
      owner: OWNER,
      mode: 0o600,
      bytes: BYTES,
      durable: false,
    });
    disk.syncDirectory();
    object.data = "forgotten";
    const state = (device: boolean): unknown => {
      const checked = runFaulty(disk, checkObject(ADDRESS, device), NO_FAULT);
      return checked.kind === "returned" ? checked.value : checked.error;
    };
    expect(state(false)).toMatchObject({ state: "exact", pastPageCache: false });
    expect(state(true)).toMatchObject({ state: "conflict" });
  });

  it("says of bytes that are still to be written that they came from memory, and of a failed advice too", () => {
    const disk = new SimulatedDisk();
    disk.place(ADDRESS.digest, { kind: "regular", owner: OWNER, mode: 0o600, bytes: BYTES, durable: false });
    const memory = { kind: "returned", value: { state: "exact", pastPageCache: false } };
    expect(runFaulty(disk, checkObject(ADDRESS, true), NO_FAULT)).toMatchObject(memory);
    const refused = runFaulty(disk, checkObject(ADDRESS, true), ({ kind }) =>
      kind === "dropCachedPages" ? "EIO" : undefined,
    );
    expect(refused).toMatchObject(memory);
  });

  it("reads real objects from the device where there is one, and says where there is none", async () => {
    const base = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-device-"));
    onTestFinished(() => {
      rmSync(base, { recursive: true });
    });
    await using store = await openSkillStore({ root: join(base, "skills"), create: true });
    const { digest } = await store.put(new Uint8Array(20_000).fill(7));
    const onDevice = process.platform === "linux" && store.facts.fileSystem.name !== "tmpfs";
    const findings: ObjectFinding[] = [];
    for await (const finding of store.verify({ device: true })) findings.push(finding);
    for await (const finding of store.verify()) findings.push(finding);
    const exact = { digest, state: "exact", size: 20_000 };
    expect(findings).toEqual([
      { ...exact, pastPageCache: onDevice },
      { ...exact, pastPageCache: false },
    ]);
    using twin = openSkillStoreSync({ root: join(base, "skills") });
    expect([...twin.verify({ device: true })]).toEqual([{ ...exact, pastPageCache: onDevice }]);
  });
});
