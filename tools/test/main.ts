import { availableParallelism } from "node:os";
import { countedLine, isSuccess } from "./counts.ts";
import { planSteps } from "./plan.ts";
import { runSteps } from "./run-steps.ts";

const HELP = `Usage: npm test -- [--long] [PACKAGES...]

Runs the format, layer, size, lint and type checks and every test, or those of the named packages ("@mesh/ffi" or "ffi",
"tools" for the tools themselves). --long runs their long suites (the script test:long) and nothing else. The last line
counts what was executed; a suite that ran no test, or whose report cannot be read, is a failure.
`;

/** Steps side by side; a test suite has workers of its own. */
const CONCURRENCY_MAX = 2;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(HELP);
    return 0;
  }
  const unknown = args.find((one) => one.startsWith("-") && one !== "--long");
  if (unknown !== undefined) {
    process.stderr.write(`unknown option ${unknown}\n${HELP}`);
    return 2;
  }
  const packages = args.filter((one) => !one.startsWith("-"));
  const steps = planSteps({ packages, long: args.includes("--long") });
  const concurrency = Math.min(CONCURRENCY_MAX, availableParallelism());
  const counts = await runSteps(steps, concurrency, (text) => process.stdout.write(text));
  process.stdout.write(`${countedLine(counts)}\n`);
  return isSuccess(counts) ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.stdout.write("0 passed, 1 failed, 0 skipped\n");
  process.exitCode = 1;
}
