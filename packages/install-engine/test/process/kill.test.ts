import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import {
  answerConsent,
  createInstallEngine,
  describeInstall,
  type InstallEngine,
  type InstallOffer,
  type RecoveredAction,
} from "../../src/index.ts";
import { openJournal } from "../../src/sqlite/index.ts";
import { BOUNDARIES, type Boundary } from "./boundaries.ts";
import { bodyOf, fileRegistry, INSTALLER_ID } from "./file-driver.ts";

const CHILD = fileURLToPath(new URL("install-and-die.ts", import.meta.url));

/** What recovery finds of an install that died at a boundary (spec 15, C0 and C1, C17 to C20). */
const RECOVERED: Readonly<Record<Boundary, "nothing" | "failed" | "applied" | "settles-without-driver">> = {
  "plan:before": "nothing",
  "plan:after": "nothing",
  "decision:before": "nothing",
  "decision:after": "nothing",
  "claim:before": "nothing",
  "claim:after": "failed",
  connect: "failed",
  "apply:before": "failed",
  "apply:after": "applied",
  reconcile: "applied",
  release: "applied",
  "outcome:before": "applied",
  "outcome:after": "settles-without-driver",
  "settlement:before": "settles-without-driver",
  "settlement:after": "nothing",
};

const capabilityOf = (boundary: Boundary | "none"): string => `skill:dies-at-${boundary.replace(":", "-")}`;

interface Died {
  readonly signal: string | null;
  readonly reached: readonly string[];
}

function runChild(
  paths: { readonly journal: string; readonly files: string },
  boundary: Boundary | "none",
): Promise<Died> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [CHILD, paths.journal, paths.files, capabilityOf(boundary), boundary],
      (_error, stdout) => {
        resolve({ signal: child.signalCode, reached: stdout.trim().split("\n") });
      },
    );
  });
}

test("a process killed at any durable boundary leaves what recovery finishes, and nothing is applied twice", {
  timeout: 600_000,
}, async () => {
  const directory = await mkdtemp(join(await realpath(tmpdir()), "kill-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const paths = { journal: join(directory, "state", "journal.sqlite3"), files: join(directory, "files") };
  await mkdir(paths.files);

  // A whole run comes to exactly the boundaries of the list, so a new step cannot be forgotten here.
  expect(await runChild(paths, "none")).toEqual({ signal: null, reached: BOUNDARIES });
  // In pairs, into one journal: the other half of a pair works on while one dies.
  for (let index = 0; index < BOUNDARIES.length; index += 2) {
    const pair = BOUNDARIES.slice(index, index + 2);
    const died = await Promise.all(pair.map((boundary) => runChild(paths, boundary)));
    expect(died).toEqual(
      pair.map((boundary) => ({
        signal: "SIGKILL",
        reached: BOUNDARIES.slice(0, BOUNDARIES.indexOf(boundary) + 1),
      })),
    );
  }

  await using journal = await openJournal({ path: paths.journal });
  const engine = createInstallEngine({ journal });
  const connected = new Set<string>();
  const registry = fileRegistry(paths.files, {
    step: (name, capabilityId) => {
      if (name === "connect") connected.add(capabilityId);
    },
  });
  const { actions } = await engine.recover(registry);

  for (const boundary of BOUNDARIES) {
    const capabilityId = capabilityOf(boundary);
    const action = actions.find((candidate) => candidate.capabilityId === capabilityId);
    expect(summary(action, connected.has(capabilityId)), boundary).toBe(RECOVERED[boundary]);
    const lines = await appliedLines(paths.files, capabilityId);
    expect(lines, boundary).toBe(applyCame(boundary) ? 1 : 0);
    // Whatever happened, the way on is open: the same install can be finished now, and is applied once in total.
    await finish(engine, registry, capabilityId);
    expect(await appliedLines(paths.files, capabilityId), boundary).toBe(1);
  }
  expect(await engine.unresolved()).toEqual([]);
  expect(await journal.verify()).toMatchObject({ claims: BOUNDARIES.length + 4 });
});

function summary(action: RecoveredAction | undefined, connected: boolean): string {
  if (action === undefined) return "nothing";
  if (action.kind === "unresolved") return `unresolved: ${action.reason.code}`;
  return connected ? action.report.outcome : "settles-without-driver";
}

function applyCame(boundary: Boundary): boolean {
  return BOUNDARIES.indexOf(boundary) >= BOUNDARIES.indexOf("apply:after");
}

async function appliedLines(files: string, capabilityId: string): Promise<number> {
  const log = await readFile(join(files, "applied.log"), "utf8");
  return log.split("\n").filter((line) => line === capabilityId).length;
}

/** Goes on from wherever an install stands. */
async function finish(
  engine: InstallEngine,
  registry: ReturnType<typeof fileRegistry>,
  capabilityId: string,
): Promise<void> {
  const scope = { sessionId: capabilityId, tenantId: "local", workspaceId: "local", repositoryId: "none" };
  const overview = await engine.overview(scope);
  if (overview?.installed.length === 1) return;
  const [again] = overview?.reofferable ?? [];
  const selection = describeInstall({ capabilityId, body: bodyOf(capabilityId), installerId: INSTALLER_ID });
  const offer: InstallOffer =
    again === undefined
      ? await engine.planInstall({ scope, selection })
      : await engine.reoffer({ scope, actionId: again.actionId });
  const granted = offer.kind === "pending" ? offer.granted : await grant(engine, offer);
  const report = await engine.prepareInstallExecution({ ...granted, registry }).execute();
  expect(report).toMatchObject({ outcome: "applied", settled: true });
}

async function grant(engine: InstallEngine, offer: InstallOffer) {
  if (offer.kind !== "consent-required") throw new Error(offer.kind);
  const decision = await engine.decide(answerConsent(offer.consent, "granted"));
  if (decision.kind !== "granted") throw new Error(decision.kind);
  return decision.granted;
}
