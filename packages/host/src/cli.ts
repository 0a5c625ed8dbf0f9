#!/usr/bin/env node
import { createRequire } from "node:module";

import { Command } from "commander";

import { demoCommand } from "./cli/demo.ts";
import { doctorCommand } from "./cli/doctor.ts";
import { generateCommand } from "./cli/generate.ts";
import { modelCommand } from "./cli/model-open.ts";
import { skillCommand } from "./cli/skill.ts";

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

await new Command("mesh")
  .description(
    "A host for local language models: a watched native runtime, skills that install once, and honest evidence",
  )
  .version(version)
  .addCommand(doctorCommand())
  .addCommand(demoCommand())
  .addCommand(modelCommand())
  .addCommand(generateCommand())
  .addCommand(skillCommand())
  .parseAsync();
