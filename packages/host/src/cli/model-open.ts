import { resolve } from "node:path";

import { Command } from "commander";

import { openModel } from "../runtime/open-model.ts";
import { type CommonOptions, meshCommand, runCommand, withRuntimeOption } from "./command.ts";
import { reportOpen, showOpenProgress } from "../report/model-report.ts";
import { createProgress } from "../report/progress.ts";
import { openReportedRuntime } from "../report/runtime-report.ts";

interface ModelOpenOptions extends CommonOptions {
  readonly runtime?: string;
  readonly progress: boolean;
}

/** `mesh model`: what can be done with a model file. */
export function modelCommand(): Command {
  return new Command("model").description("models").addCommand(modelOpenCommand());
}

function modelOpenCommand(): Command {
  return withRuntimeOption(
    meshCommand("open", "open a model through the native runtime, report what was seen, and close it").argument(
      "<path...>",
      "one GGUF file, or the parts of a split model in order",
    ),
  )
    .option("--progress", "read the file instead of mapping it, so that progress is spread over the read", false)
    .action(async (paths: string[], options: ModelOpenOptions) => {
      await runCommand(options, async (context) => {
        const { runtime } = await openReportedRuntime(context, options.runtime);
        const progress = createProgress(context.output, "model.open.progress", "opening");
        const opened = await openModel(runtime, {
          paths: paths.map((path) => resolve(path)),
          spreadProgress: options.progress,
          signal: context.signal,
          onEvent: showOpenProgress(progress),
          onFailure: (seen) => {
            progress.stop();
            reportOpen(context.output, seen);
          },
        });
        progress.stop();
        reportOpen(context.output, opened);
        await opened.model.close();
        context.output.step(
          { step: "model.closed" },
          {
            label: "closed",
            text: `${paths.length === 1 ? "the model" : `the model of ${paths.length} parts`} opened and was freed`,
            tone: "good",
          },
        );
      });
    });
}
