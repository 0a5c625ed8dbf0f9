import { availableParallelism } from "node:os";
import { countedLine, isSuccess } from "../test/counts.ts";
import { runSteps } from "../test/run-steps.ts";
import { commandStep, complaintStep } from "../test/step.ts";
import { nativeFiles, nativeFolders } from "./folders.ts";

/**
 * Is all C and C++ in the one form of `.clang-format`, and does clang-tidy find nothing in it? Every file counts: one that
 * no folder compiles would be looked at by nobody, and is a complaint of its own.
 */
async function main(): Promise<number> {
  const files = nativeFiles();
  const folders = nativeFolders();
  const compiled = new Set(folders.flatMap((folder) => folder.sources));
  const steps = [
    commandStep("clang-format", "clang-format", ["--dry-run", "-Werror", ...files]),
    complaintStep("every source is compiled by one of the folders", () =>
      files.filter((file) => !file.endsWith(".h") && !compiled.has(file)),
    ),
    ...folders.flatMap(({ sources, flags }) =>
      sources.map((source) => commandStep(`clang-tidy ${source}`, "clang-tidy", ["--quiet", source, "--", ...flags])),
    ),
  ];
  const counts = await runSteps(steps, availableParallelism(), (text) => process.stdout.write(text));
  process.stdout.write(`${countedLine(counts)}\n`);
  return isSuccess(counts) ? 0 : 1;
}

process.exitCode = await main();
