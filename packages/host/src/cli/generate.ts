import { resolve } from "node:path";

import { type Command, InvalidArgumentError } from "commander";
import { GENERATED_TOKENS_MAX } from "@mesh/ffi/runtime";

import { openModel } from "../runtime/open-model.ts";
import { type CommonOptions, meshCommand, runCommand, withRuntimeOption } from "./command.ts";
import { openReportedRuntime } from "../report/runtime-report.ts";

interface GenerateOptions extends CommonOptions {
  readonly runtime?: string;
  readonly prompt: string;
  readonly tokens: number;
  readonly temperature: number;
  readonly seed?: number;
}

/** Tokens that are made unless `--tokens` says otherwise. */
const TOKENS_DEFAULT = 64;
const TEMPERATURE_MAX = 10;
const SEED_MAX = 0xffff_ffff;

function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new InvalidArgumentError(`expected a whole number from ${minimum} to ${maximum}.`);
    }
    return value;
  };
}

function temperature(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= TEMPERATURE_MAX)) {
    throw new InvalidArgumentError(`expected a number from 0 (always the likeliest token) to ${TEMPERATURE_MAX}.`);
  }
  return value;
}

/** `mesh generate`: text after a prompt, written as it is made. */
export function generateCommand(): Command {
  return withRuntimeOption(
    meshCommand("generate", "generate text after a prompt").argument(
      "<path>",
      "a GGUF file, or the first of its parts",
    ),
  )
    .requiredOption("--prompt <text>", "the text to continue")
    .option("--tokens <n>", "stop after so many tokens", wholeNumber(1, GENERATED_TOKENS_MAX), TOKENS_DEFAULT)
    .option("--temperature <t>", "0 takes the likeliest token each time", temperature, 0)
    .option("--seed <n>", "makes a sampled text repeatable", wholeNumber(0, SEED_MAX))
    .action(async (path: string, options: GenerateOptions) => {
      await runCommand(options, async (context) => {
        const { output, signal } = context;
        const { runtime } = await openReportedRuntime(context, options.runtime);
        await using model = (await openModel(runtime, { paths: [resolve(path)], spreadProgress: false, signal })).model;
        await using session = await model.createSession();
        const prompt = await model.tokenize(options.prompt);
        output.step(
          { step: "generate.prompt", tokens: prompt.length },
          { label: "prompt", text: `${prompt.length} tokens` },
        );
        let tokens = 0;
        const pieces = session.generate(prompt, {
          tokensMax: options.tokens,
          signal,
          onToken: () => {
            tokens += 1;
          },
          ...(options.temperature > 0
            ? {
                sampling: {
                  temperature: options.temperature,
                  ...(options.seed === undefined ? {} : { seed: options.seed }),
                },
              }
            : {}),
        });
        for await (const text of pieces) output.text("generate.text", text);
        output.step(
          { step: "generate.done", tokens },
          { label: "", text: "" },
          { label: "generated", text: `${tokens} tokens` },
        );
      });
    });
}
