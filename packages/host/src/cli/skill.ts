import { Command } from "commander";

import { skillCatCommand } from "./skill-cat.ts";
import { skillInstallCommand } from "./skill-install.ts";
import { skillListCommand } from "./skill-list.ts";
import { skillRecoverCommand } from "./skill-recover.ts";
import { skillVerifyCommand } from "./skill-verify.ts";

/** `mesh skill`: the installed skills. */
export function skillCommand(): Command {
  return new Command("skill")
    .description("skills: install, list, read, verify, recover")
    .addCommand(skillInstallCommand())
    .addCommand(skillListCommand())
    .addCommand(skillCatCommand())
    .addCommand(skillVerifyCommand())
    .addCommand(skillRecoverCommand());
}
