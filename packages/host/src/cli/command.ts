import { Command } from "commander";

import type { CommandContext } from "../report/context.ts";
import { defaultStateDirectory, openStateDirectory } from "../state-directory.ts";
import { EXIT_FAILED, EXIT_INTERRUPTED, failureFacts, writeFailure } from "../report/failure.ts";
import { createOutput } from "../report/output.ts";

/** Options that every command has. */
export interface CommonOptions {
  readonly json: boolean;
  readonly state?: string;
}

/** Makes a command with the options that all of them have. */
export function meshCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option("--json", "print one JSON object for each step, and nothing else", false)
    .option("--state <dir>", `keep all state in this directory (default: ${defaultStateDirectory()})`);
}

/** Adds the option of the commands that load a native runtime. */
export function withRuntimeOption(command: Command): Command {
  return command.option("--runtime <dir>", "load this runtime bundle instead of the embedded one");
}

function abortOnSignals(): { readonly signal: AbortSignal; readonly interrupted: () => boolean; stop(): void } {
  const controller = new AbortController();
  let interrupted = false;
  const onSignal = (): void => {
    if (interrupted) process.exit(EXIT_INTERRUPTED);
    interrupted = true;
    controller.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    interrupted: () => interrupted,
    stop: () => {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}

/**
 * Runs the body of a command: opens the state directory, reports what is thrown as one error, and sets the exit status.
 * The body never prints an error itself.
 */
export async function runCommand(
  options: CommonOptions,
  body: (context: CommandContext) => Promise<void>,
): Promise<void> {
  const output = createOutput({ json: options.json, stream: process.stdout, terminal: process.stdout.isTTY });
  const signals = abortOnSignals();
  try {
    const state = openStateDirectory(options.state ?? defaultStateDirectory());
    await body({ output, state, signal: signals.signal });
  } catch (thrown) {
    process.exitCode = signals.interrupted() ? EXIT_INTERRUPTED : EXIT_FAILED;
    if (output.json) output.step(failureFacts(thrown));
    else writeFailure(thrown, process.stderr);
  } finally {
    signals.stop();
  }
}
