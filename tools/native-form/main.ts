import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { countedLine, isSuccess } from "../test/counts.ts";
import { runSteps } from "../test/run-steps.ts";
import { commandStep, complaintStep, type Step } from "../test/step.ts";
import { ROOT } from "../test/workspace.ts";
import { type NativeFolder, nativeFiles, nativeFolders } from "./folders.ts";

/**
 * Is all C and C++ in the one form of `.clang-format`, and does clang-tidy find nothing in it? Every file counts: one that
 * no folder compiles would be looked at by nobody, and is a complaint of its own.
 */
async function main(): Promise<number> {
  const files = nativeFiles();
  const folders = nativeFolders();
  const compiled = new Set(folders.flatMap((folder) => folder.sources));
  const units = mkdtempSync(path.join(tmpdir(), "mesh-native-form-"));
  const steps = [
    commandStep("clang-format", "clang-format", ["--dry-run", "-Werror", ...files]),
    complaintStep("every source is compiled by one of the folders", () =>
      files.filter((file) => !file.endsWith(".h") && !compiled.has(file)),
    ),
    ...folders.flatMap((folder) => tidySteps(folder, units)),
  ];
  const counts = await runSteps(steps, availableParallelism(), (text) => process.stdout.write(text));
  rmSync(units, { recursive: true });
  process.stdout.write(`${countedLine(counts)}\n`);
  return isSuccess(counts) ? 0 : 1;
}

/** One step for each source, or one for all of them through a file in `units` that includes them. */
function tidySteps({ name, sources, flags, together }: NativeFolder, units: string): Step[] {
  if (!together) return sources.map((source) => tidyStep(source, [source], flags));
  const unit = path.join(units, `${path.basename(name)}.cc`);
  writeFileSync(unit, sources.map((source) => `#include "${path.join(ROOT, source)}"\n`).join(""));
  // It is this job that includes sources, not the code that is looked at.
  return [tidyStep(`${name}, ${sources.length} sources`, ["--checks=-bugprone-suspicious-include", unit], flags)];
}

function tidyStep(name: string, args: readonly string[], flags: readonly string[]): Step {
  return commandStep(`clang-tidy ${name}`, "clang-tidy", [
    ...["--quiet", `--config-file=${path.join(ROOT, ".clang-tidy")}`],
    ...[...args, "--", ...flags],
  ]);
}

process.exitCode = await main();
