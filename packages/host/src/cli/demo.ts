import type { Command } from "commander";

import { runDemo } from "../demo/run-demo.ts";
import { type CommonOptions, meshCommand, runCommand, withRuntimeOption } from "./command.ts";

interface DemoOptions extends CommonOptions {
  readonly runtime?: string;
}

/** `mesh demo`: the whole host once, on real parts. */
export function demoCommand(): Command {
  return withRuntimeOption(meshCommand("demo", "run the whole host once, on real parts, and leave evidence")).action(
    async (options: DemoOptions) => {
      await runCommand(options, (context) => runDemo(context, options.runtime));
    },
  );
}
