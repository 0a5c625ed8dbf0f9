import { execFile } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { answerConsent, sha256Hex } from "@mesh/install-engine";
import { expect, onTestFinished, test } from "vitest";
import { bodyOf, grantSkill, openParts, type Parts } from "./bench.ts";
import { BOUNDARIES, type Boundary } from "./boundaries.ts";

const CHILD = fileURLToPath(new URL("installing-process.ts", import.meta.url));

// Section 15 of the specification: C0, C1, C2, C2 again, C17, C18, C18, C19, C19, C20.
const RECOVERED: Readonly<Record<Boundary, string>> = {
  "claim:before": "not claimed",
  "claim:after": "failed",
  connect: "failed",
  "apply:before": "failed",
  "apply:after": "applied",
  "reconcile:after": "applied",
  "outcome:before": "applied",
  "outcome:after": "applied",
  "settlement:before": "applied",
  "settlement:after": "settled already",
};

const capabilityOf = (boundary: string): string => `skill:dies-at-${boundary.replace(":", "-")}`;

test("an install killed at any durable boundary is recovered as the crash table says, with one object", {
  timeout: 600_000,
}, async () => {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), "killed-install-"));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  // A whole run comes to exactly the boundaries of the list, so a new one cannot be forgotten here.
  expect(await runChild(directory, "none")).toEqual({ signal: null, reached: [...BOUNDARIES] });
  for (let index = 0; index < BOUNDARIES.length; index += 2) {
    const pair = BOUNDARIES.slice(index, index + 2);
    expect(await Promise.all(pair.map((boundary) => runChild(directory, boundary)))).toEqual(
      pair.map((boundary) => ({ signal: "SIGKILL", reached: BOUNDARIES.slice(0, BOUNDARIES.indexOf(boundary) + 1) })),
    );
  }

  await using parts = await openParts(directory);
  const { actions } = await parts.engine.recover(parts.registry);
  // Recovery looks and never applies: it asks for no body.
  expect(parts.loads()).toBe(0);
  for (const boundary of BOUNDARIES) {
    const capabilityId = capabilityOf(boundary);
    const action = actions.find((candidate) => candidate.capabilityId === capabilityId);
    const found =
      action === undefined
        ? (await isInstalled(parts, capabilityId))
          ? "settled already"
          : "not claimed"
        : action.kind === "finished"
          ? action.report.outcome
          : action.reason.code;
    expect(found, boundary).toBe(RECOVERED[boundary]);
    await finish(parts, capabilityId);
    expectOneObject(parts.root, capabilityId);
  }
  expect(await parts.engine.unresolved()).toEqual([]);
  expect(readdirSync(parts.root).filter((name) => name.endsWith(".pending"))).toEqual([]);
  await parts.journal.verify();
});

function runChild(directory: string, boundary: string): Promise<{ signal: string | null; reached: string[] }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CHILD, directory, capabilityOf(boundary), boundary], (_error, stdout) => {
      resolve({ signal: child.signalCode, reached: stdout.trim().split("\n") });
    });
  });
}

async function isInstalled({ engine }: Parts, capabilityId: string): Promise<boolean> {
  for await (const { material } of engine.listInstalled({ sessionId: capabilityId })) {
    if (material.capabilityId === capabilityId) return true;
  }
  return false;
}

/** Goes on from wherever the install stands: the way on is always open. */
async function finish(parts: Parts, capabilityId: string): Promise<void> {
  if (await isInstalled(parts, capabilityId)) return;
  const { engine, registry } = parts;
  const scope = { tenantId: "local", workspaceId: "local", repositoryId: "none", sessionId: capabilityId };
  const [again] = (await engine.overview(scope))?.reofferable ?? [];
  if (again !== undefined) {
    const offer = await engine.reoffer({ scope, actionId: again.actionId });
    if (offer.kind !== "consent-required") throw new Error(offer.kind);
    await engine.decide(answerConsent(offer.consent, "granted"));
  }
  const granted = await grantSkill(engine, capabilityId);
  const report = await engine.prepareInstallExecution({ ...granted, registry }).execute();
  expect(report).toMatchObject({ outcome: "applied", settled: true });
}

function expectOneObject(root: string, capabilityId: string): void {
  const path = join(root, sha256Hex(bodyOf(capabilityId)));
  expect(readFileSync(path, "utf8")).toBe(bodyOf(capabilityId));
  expect(lstatSync(path)).toMatchObject({ nlink: 1, mode: 0o100600 });
}
