import type { Bench } from "../harness/bench.ts";
import { commitsBench } from "./commits.ts";
import { journalBenches } from "./journal.ts";
import { scalingBench } from "./scaling.ts";
import { versusPartsBench } from "./versus-parts.ts";

/** The engine's and its journal's benches. */
export const installBenches: readonly Bench[] = [commitsBench, versusPartsBench, ...journalBenches, scalingBench];
