import { Command, CommanderError } from "commander";
import { checkEvidence, type EvidencePolicy } from "../check.ts";
import { EvidenceError } from "../error.ts";
import { readEvidence } from "../read.ts";
import { parseAge } from "./age.ts";
import { describeCheck, describeState } from "./describe.ts";
import { EXIT, exitCodeOf } from "./exit-code.ts";

const EXIT_CODES = `
Exit status:
  0  the evidence is accepted (check), or was shown (show)
  1  the run failed, or a required condition does not hold
  2  the command was called wrongly
  3  the run was blocked, or not asked for
  4  no evidence about what is there now: absent, unreadable, unfinished, too old, or about other subjects
`;

/** Where the command writes. */
export interface CommandOutput {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

interface CheckOptions {
  readonly require: string[];
  readonly subject: string[];
  readonly maxAge?: string;
  readonly json?: boolean;
}

/**
 * Runs `mesh-evidence`.
 *
 * @param args the arguments after the command's name
 * @returns the exit status
 */
export async function runEvidenceCommand(args: readonly string[], output: CommandOutput): Promise<number> {
  let status: number = EXIT.accepted;
  const program = new Command("mesh-evidence")
    .description("Reads evidence files: what ran, what failed, and what could not run")
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.error })
    .addHelpText("after", EXIT_CODES);
  program
    .command("check")
    .description("decides whether FILE is evidence enough")
    .argument("<file>", "the evidence file")
    .option("--require <condition>", 'a condition on a step, such as "unload-callbacks >= 1"; repeatable', collect, [])
    .option("--subject <file>", "a file the run must have been about, byte for byte; repeatable", collect, [])
    .option("--max-age <age>", "the run must have ended at most so long ago: 90s, 30m, 12h or 7d")
    .option("--json", "one JSON object instead of text")
    .addHelpText("after", EXIT_CODES)
    .action(async (file: string, options: CheckOptions) => {
      const check = await checkEvidence(file, policyOf(options));
      write(output, options.json === true ? [JSON.stringify(check)] : describeCheck(file, check));
      status = exitCodeOf(check);
    });
  program
    .command("show")
    .description("shows what FILE says")
    .argument("<file>", "the evidence file")
    .option("--json", "one JSON object instead of text")
    .addHelpText("after", EXIT_CODES)
    .action((file: string, options: { readonly json?: boolean }) => {
      const evidence = readEvidence(file);
      write(output, options.json === true ? [JSON.stringify(evidence)] : describeState(evidence));
      status = evidence.state === "absent" || evidence.state === "unreadable" ? EXIT.noEvidence : EXIT.accepted;
    });
  try {
    await program.parseAsync([...args], { from: "user" });
    return status;
  } catch (error) {
    return exitCodeOfError(error, output);
  }
}

function exitCodeOfError(error: unknown, output: CommandOutput): number {
  // Commander has already said what is wrong; asking for help is not wrong.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.accepted : EXIT.usage;
  if (!(error instanceof EvidenceError)) throw error;
  output.error(`error: ${error.message}\n`);
  return EXIT.usage;
}

function policyOf({ require, subject, maxAge }: CheckOptions): EvidencePolicy {
  return { require, subjects: subject, ...(maxAge === undefined ? {} : { maxAgeMs: parseAge(maxAge) }) };
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

function write(output: CommandOutput, lines: readonly string[]): void {
  output.out(`${lines.join("\n")}\n`);
}
