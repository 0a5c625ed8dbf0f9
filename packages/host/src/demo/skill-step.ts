import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { InstallExecutionReport } from "@mesh/install-engine";
import { memoryBodySource } from "@mesh/skill-cas/driver";

import type { CommandContext } from "../report/context.ts";
import { reportObject, showInstallStages } from "../report/skill-report.ts";
import { installSkill } from "../skills/install-skill.ts";
import { readSkillFile, type SkillFile } from "../skills/skill-file.ts";
import { composeSkillHost } from "../skills/skill-host.ts";
import { demoFailure } from "./demo-failure.ts";
import type { DemoRecord } from "./demo-record.ts";

/** The skill that this package ships. It lies beside dist/, in the checkout as in the tarball. */
const SHIPPED_SKILL = fileURLToPath(new URL("../skills/host-tour/", import.meta.url));

/** Reads the shipped skill like any other. */
export function readShippedSkill(): Promise<SkillFile> {
  return readSkillFile(SHIPPED_SKILL);
}

/** Installs the shipped skill and installs it again: the second time changes nothing on the disk. */
export async function runSkillStep(context: CommandContext, file: SkillFile, record: DemoRecord): Promise<void> {
  const first = await installOnce(context, file);
  record.add("skill-install", `outcome=${first.report.outcome} settled=${first.report.settled} sha256=${first.digest}`);
  const second = await installOnce(context, file);
  if (second.inode !== first.inode || second.changedNs !== first.changedNs) {
    throw demoFailure(
      "second install",
      "another inode or a later change",
      "the object of the first install, untouched",
    );
  }
  context.output.step(
    { step: "skill.unchanged", inode: second.inode, changedNs: second.changedNs },
    { label: "unchanged", text: "the same inode, not changed since the first install", tone: "good" },
  );
  record.add(
    "skill-install-again",
    `outcome=${second.report.outcome} settled=${second.report.settled} object=untouched`,
  );
}

interface InstalledOnce {
  readonly report: InstallExecutionReport;
  readonly digest: string;
  readonly inode: bigint;
  /** When the file or its metadata was last changed, in nanoseconds. */
  readonly changedNs: bigint;
}

async function installOnce(context: CommandContext, { skill, body }: SkillFile): Promise<InstalledOnce> {
  const { output, state, signal } = context;
  await using host = await composeSkillHost({ state, bodySource: memoryBodySource(body), signal });
  const digest = createHash("sha256").update(body).digest("hex");
  const { report } = await installSkill(host, {
    name: skill.name,
    body,
    consent: { kind: "preapproved" },
    signal,
    onStage: showInstallStages(output),
  });
  if (!(await reportObject(output, host, digest))) {
    throw demoFailure("object", "a file that is not private or not alone", "mode 0600 and one link");
  }
  const { ino, ctimeNs } = await lstat(join(state.skills, digest), { bigint: true });
  return { report, digest, inode: ino, changedNs: ctimeNs };
}
