import type { Command } from "commander";
import { examineHost } from "../report/examine-host.ts";
import { type CommonOptions, meshCommand, runCommand, withRuntimeOption } from "./command.ts";

interface DoctorOptions extends CommonOptions {
  readonly runtime?: string;
}

/** `mesh doctor`: checks every part of this host by using it, and fails at the first that is not in order. */
export function doctorCommand(): Command {
  return withRuntimeOption(meshCommand("doctor", "check every part of this host")).action(
    async (options: DoctorOptions) => {
      await runCommand(options, async (context) => {
        await examineHost(context, options.runtime);
        context.output.step({ step: "doctor.done" }, { label: "host", text: "in order", tone: "good" });
      });
    },
  );
}
