import { createHash, randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";

import type { CommandContext } from "../report/context.ts";
import { reportExecution, reportObject } from "../report/skill-report.ts";
import type { SkillFile } from "../skills/skill-file.ts";
import { composeSkillHost } from "../skills/skill-host.ts";
import { demoFailure } from "./demo-failure.ts";
import type { DemoRecord } from "./demo-record.ts";
import { killInstallAfterLink } from "./killed-install.ts";

/** Suffix of a stage in the store (spec 9.1). */
const STAGE_SUFFIX = ".pending";

/**
 * Installs a text that no run has installed before, in a child that is killed in the middle of its publication; then
 * recovers as `mesh skill recover` does, and checks that the object is whole and nothing else is left.
 */
export async function runKillStep(context: CommandContext, file: SkillFile, record: DemoRecord): Promise<void> {
  const { output, state, signal } = context;
  const body = `${file.body}\nInstalled by demo run ${randomUUID()}.\n`;
  await killInstallAfterLink({ stateDirectory: state.root, name: file.skill.name, body }, signal);
  const left = await stagesIn(state.skills);
  output.step(
    { step: "skill.killed", signal: "SIGKILL", after: "link", before: "syncDirectory", stagesLeft: left },
    { label: "killed", text: `SIGKILL after the link and before the sync; ${left} stage left beside the object` },
  );
  if (left === 0) throw demoFailure("kill", "no stage", "the stage of the interrupted install");
  await using host = await composeSkillHost({ state, signal });
  const { actions } = await host.engine.recover(host.registry, { signal });
  const [action] = actions;
  if (actions.length !== 1 || action?.kind !== "finished") {
    throw demoFailure("recovery", `${actions.length} actions`, "the one that was killed, finished");
  }
  const { report } = action;
  reportExecution(output, report);
  if (report.claimWasNew || !report.settled || report.outcome !== "applied") {
    throw demoFailure("recovery", `${report.outcome}, claim new: ${report.claimWasNew}`, "applied under the old claim");
  }
  const digest = createHash("sha256").update(body).digest("hex");
  if (!(await reportObject(output, host, digest)))
    throw demoFailure("object", "not private or not alone", "0600, one link");
  const stages = await stagesIn(state.skills);
  if (stages !== 0) throw demoFailure("recovery", `${stages} stages`, "no stage left");
  const bytes = await host.store.read(digest);
  if (Buffer.from(bytes).toString("utf8") !== body) throw demoFailure("object", "other bytes", "the installed text");
  output.step(
    { step: "skill.recovered", stagesLeft: stages },
    { label: "recovered", text: "no stage left, bytes verified", tone: "good" },
  );
  record.add("killed-install", "signal=SIGKILL after=link");
  record.add("recovery", `outcome=${report.outcome} claim-was-new=${report.claimWasNew} stages-left=${stages}`);
}

async function stagesIn(root: string): Promise<number> {
  return (await readdir(root)).filter((name) => name.endsWith(STAGE_SUFFIX)).length;
}
