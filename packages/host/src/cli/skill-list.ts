import type { Command } from "commander";

import { installedSkills } from "../skills/installed-skills.ts";
import { composeSkillHost } from "../skills/skill-host.ts";
import { type CommonOptions, meshCommand, runCommand } from "./command.ts";

/** `mesh skill list`: what is settled as installed, newest text of each name. */
export function skillListCommand(): Command {
  return meshCommand("list", "list the installed skills").action(async (options: CommonOptions) => {
    await runCommand(options, async ({ output, state, signal }) => {
      await using host = await composeSkillHost({ state, signal });
      const skills = await installedSkills(host, signal);
      for (const skill of skills) {
        output.step(
          { step: "skill.installed", ...skill },
          { label: skill.name, text: `sha256 ${skill.digest}, ${skill.bytes} bytes, since ${skill.installedAt}` },
        );
      }
      output.step({ step: "skill.list", count: skills.length }, { label: "installed", text: String(skills.length) });
    });
  });
}
