import { execFileSync } from "node:child_process";
import { lstat, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  answerConsent,
  createInstallDriverRegistry,
  createInstallEngine,
  createScope,
  describeInstall,
  type GrantedInstall,
  type JournalHead,
  type JournalStore,
  sha256Hex,
} from "@mesh/install-engine";
import { openJournal } from "@mesh/install-engine/sqlite";
import { openSkillStore } from "@mesh/skill-cas";
import { createSkillCasDriverFactory } from "@mesh/skill-cas/driver";
import { expect, test } from "vitest";

const INSTALLER_ID = "ctx-skill-installer-v1";
const BODY = "---\nname: kept\ndescription: Installed once.\n---\n\nUse it.\n";

/** Copies a journal and its log in another process: closing them here would take away the locks of the open journal. */
function copyJournal(from: string, to: string): void {
  execFileSync("cp", ["-p", from, to]);
  execFileSync("cp", ["-p", `${from}-wal`, `${to}-wal`]);
}

/** Runs a granted install with the real driver over the real store. */
async function execute(journal: JournalStore, granted: GrantedInstall, root: string, load: () => Uint8Array) {
  await using factory = createSkillCasDriverFactory({
    root,
    bodySource: { load },
    installerId: INSTALLER_ID,
    hostIdentityDigest: sha256Hex("host"),
  });
  const { binding, target } = factory;
  const registry = createInstallDriverRegistry([{ binding, capabilityKind: "skill", factory, target }]);
  const handle = createInstallEngine({ journal }).prepareInstallExecution({ ...granted, registry });
  return await handle.execute();
}

test("after the loss of a claim the driver's look at the world still prevents a second object", async () => {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "mesh-claim-loss-"));
  const [path, backup, root] = [
    join(folder, "state", "journal.sqlite3"),
    join(folder, "backup"),
    join(folder, "skills"),
  ];
  const object = join(root, sha256Hex(BODY));
  await (await openSkillStore({ root, create: true })).close();
  let loads = 0;
  const load = (): Uint8Array => {
    loads += 1;
    return Buffer.from(BODY);
  };
  let granted: GrantedInstall;
  let head: JournalHead;
  {
    await using journal = await openJournal({ path });
    const engine = createInstallEngine({ journal });
    const selection = describeInstall({ capabilityId: "skill:kept", body: BODY, installerId: INSTALLER_ID });
    const scope = createScope({ tenantId: "t", workspaceId: "w", repositoryId: "r", sessionId: "s" });
    const planned = await engine.planInstall({ scope, selection });
    if (planned.kind !== "consent-required") throw new Error(planned.kind);
    const decision = await engine.decide(answerConsent(planned.consent, "granted"));
    if (decision.kind !== "granted") throw new Error(decision.kind);
    granted = decision.granted;
    copyJournal(path, backup);
    expect(await execute(journal, granted, root, load)).toMatchObject({
      outcome: "applied",
      claimWasNew: true,
      settled: true,
    });
    head = await journal.head();
  }
  const installed = await lstat(object, { bigint: true });
  for (const suffix of ["", "-wal", "-shm"]) await rm(`${path}${suffix}`, { force: true });
  copyJournal(backup, path);

  // Who kept the head elsewhere is told; who did not goes on with a journal that knows nothing of the claim.
  await expect(openJournal({ path, expectHead: head })).rejects.toMatchObject({ code: "JOURNAL_HEAD_MISMATCH" });
  await using restored = await openJournal({ path });
  expect(await restored.unsettledClaims({ limit: 10 })).toEqual([]);
  expect(await execute(restored, granted, root, load)).toMatchObject({
    outcome: "applied",
    claimWasNew: true,
    settled: true,
  });

  expect(loads).toBe(1);
  expect((await readdir(root)).filter((name) => /^[0-9a-f]{64}$/.test(name))).toEqual([sha256Hex(BODY)]);
  const after = await lstat(object, { bigint: true });
  expect([after.ino, after.nlink, after.ctimeNs]).toEqual([installed.ino, 1n, installed.ctimeNs]);
  expect(await restored.verify()).toMatchObject({ claims: 1, settlements: 1 });
  await rm(folder, { recursive: true, force: true });
});
