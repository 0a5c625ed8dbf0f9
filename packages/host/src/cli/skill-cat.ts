import type { Command } from "commander";

import { HostError } from "../error.ts";
import { installedSkills } from "../skills/installed-skills.ts";
import { composeSkillHost } from "../skills/skill-host.ts";
import { type CommonOptions, meshCommand, runCommand } from "./command.ts";

/** `mesh skill cat`: the text of an installed skill, verified while it is read. */
export function skillCatCommand(): Command {
  return meshCommand("cat", "print the text of an installed skill, verified against its digest")
    .argument("<name>", "name of the skill, as `mesh skill list` prints it")
    .action(async (name: string, options: CommonOptions) => {
      await runCommand(options, async ({ output, state, signal }) => {
        await using host = await composeSkillHost({ state, signal });
        const skill = (await installedSkills(host, signal)).find((candidate) => candidate.name === name);
        if (skill === undefined) {
          throw new HostError({
            code: "SKILL_NOT_INSTALLED",
            message: `no skill named ${JSON.stringify(name)} is installed; \`mesh skill list\` prints the names.`,
          });
        }
        const bytes = await host.store.read(skill.digest);
        if (output.json) output.step({ step: "skill.text", ...skill, text: new TextDecoder().decode(bytes) });
        else process.stdout.write(bytes);
      });
    });
}
