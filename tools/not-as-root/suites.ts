import { countedLine, isSuccess } from "../test/counts.ts";
import { planSteps } from "../test/plan.ts";
import { runSteps } from "../test/run-steps.ts";

// The test suites of the named packages and nothing else: lint and types are the same for every user.
const steps = planSteps({ packages: process.argv.slice(2), long: false }).filter((one) => one.name.startsWith("test "));
const counts = await runSteps(steps, 1, (text) => process.stdout.write(text));
process.stdout.write(`${countedLine(counts)}\n`);
process.exitCode = isSuccess(counts) ? 0 : 1;
