import fc from "fast-check";
import { expect, test } from "vitest";
import { openBench, START } from "../support/bench.ts";
import { installCommands } from "./commands.ts";
import { Reference } from "./reference.ts";
import { System } from "./system.ts";

/** `test:long` raises it; every run opens a real journal. */
const RUNS = Number(process.env["INSTALL_MODEL_RUNS"] ?? "20");
const COMMANDS_MAX = 40;

test("random commands, crashes, clock jumps and restarts end where the reference says", {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(installCommands, { maxCommands: COMMANDS_MAX, size: "max" }),
      fc.constantFrom("not-applied" as const, "nothing" as const),
      async (commands, absenceProves) => {
        const bench = await openBench();
        const system = new System(bench.journal, bench.clock, bench.shelf, absenceProves);
        await fc.asyncModelRun(() => ({ model: new Reference(START, absenceProves), real: system }), commands);
        expect(await bench.journal.verify()).toMatchObject({ head: await bench.journal.head() });
        await bench.journal.close();
      },
    ),
    { numRuns: RUNS },
  );
});
