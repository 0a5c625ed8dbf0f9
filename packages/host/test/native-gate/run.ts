import { REPORTER_FAMILIES } from "@mesh/runtime-events";
import { runNativeGate } from "./gate.ts";

// The gate as a program, for tests that need a process of its own for each run. An argument names the family that the tally
// is to be blind to.
const blindTo = REPORTER_FAMILIES.find((family) => family === process.argv[2]);
const outcome = await runNativeGate(blindTo === undefined ? {} : { blindTo });
process.stdout.write(`${outcome.kind}\n`);
