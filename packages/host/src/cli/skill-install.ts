import type { Command } from "commander";
import { fileBodySource } from "@mesh/skill-cas/driver";

import { installSkill } from "../skills/install-skill.ts";
import { readSkillFile, type SkillFile } from "../skills/skill-file.ts";
import { composeSkillHost } from "../skills/skill-host.ts";
import { type CommonOptions, meshCommand, runCommand } from "./command.ts";
import { askConsent } from "./consent-prompt.ts";
import { printable } from "../report/output.ts";
import { reportObject, showInstallStages } from "../report/skill-report.ts";

interface SkillInstallOptions extends CommonOptions {
  readonly yes: boolean;
}

/** `mesh skill install`: read, ask, install. */
export function skillInstallCommand(): Command {
  return meshCommand("install", "install a skill after asking for consent")
    .argument("<path>", "a SKILL.md, or the folder that holds one")
    .option("-y, --yes", "consent without being asked", false)
    .action(async (path: string, options: SkillInstallOptions) => {
      await runCommand(options, async ({ output, state, signal }) => {
        const file = await readSkillFile(path);
        output.step(
          { step: "skill.read", path: file.path, name: file.skill.name, warnings: file.skill.warnings },
          { label: "skill", text: `${file.skill.name} in ${file.path}` },
          ...file.skill.warnings.map((warning) => ({ label: "warning", text: warning.message })),
        );
        // The text is read again from its file after the claim: what is installed is what was consented to, or nothing.
        await using host = await composeSkillHost({ state, bodySource: fileBodySource(file.path), signal });
        const { selection } = await installSkill(host, {
          name: file.skill.name,
          body: file.body,
          consent: { kind: "ask", ask: () => (options.yes ? Promise.resolve(true) : ask(file, signal)) },
          signal,
          onStage: showInstallStages(output),
        });
        await reportObject(output, host, selection.authority.resultMaterial.contentSha256);
      });
    });
}

function ask({ skill, body }: SkillFile, signal: AbortSignal): Promise<boolean> {
  const question = printable(
    `Install the skill ${skill.name} (${Buffer.byteLength(body)} bytes): ${skill.description}`,
  );
  return askConsent({ question: `${question}?`, signal });
}
