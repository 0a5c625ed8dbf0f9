#!/usr/bin/env node
import { runEvidenceCommand } from "./command/program.ts";

process.exitCode = await runEvidenceCommand(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
});
