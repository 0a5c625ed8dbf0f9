import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { BENCHES } from "./benches.ts";
import { benchEnvironment } from "./harness/environment.ts";
import { BenchError } from "./harness/error.ts";
import { BUILD_DIRECTORY, makeBuildDirectory } from "./harness/folder.ts";
import { table } from "./harness/report.ts";
import { runBenches } from "./run.ts";

const HELP = `Usage: npm run bench -- [--json FILE] [--only PREFIX] [--smoke]

  --json FILE     writes the results as JSON
  --only PREFIX   runs the benches whose id begins with PREFIX
  --smoke         one small block a side: shows that the benches work, and measures nothing
`;

function options(): { json?: string; only?: string; smoke: boolean; help: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: "string" },
        only: { type: "string" },
        smoke: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    return values;
  } catch (cause) {
    throw new BenchError({
      code: "BAD_ARGUMENT",
      message: `${cause instanceof Error ? cause.message : ""}\n\n${HELP}`,
      cause,
    });
  }
}

async function main(): Promise<void> {
  const { json, only, smoke, help } = options();
  if (help) {
    console.log(HELP);
    return;
  }
  makeBuildDirectory();
  const environment = benchEnvironment(BUILD_DIRECTORY);
  const selection = { smoke, ...(only === undefined ? {} : { only }) };
  const results = await runBenches(BENCHES, selection, environment, ({ id }) => {
    console.error(`running ${id} ...`);
  });
  console.log(table(results));
  if (smoke) console.log("A smoke run: these numbers measure nothing.");
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof BenchError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
