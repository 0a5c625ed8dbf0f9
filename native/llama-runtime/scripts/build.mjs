// Builds the native runtime for this machine into build/<platform>-<arch>/. Needs git, make and a C++20 compiler.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { extractHeaders } from "./headers.mjs";
import { PACKAGE_ROOT, prebuiltLibraryDirectory } from "./packages.mjs";

function requireTool(command) {
  const { error, status } = spawnSync(command, ["--version"], { stdio: "ignore" });
  if (error || status !== 0) {
    throw new Error(`"${command} --version" does not run. Building the native runtime needs git, make and g++.`);
  }
}

try {
  for (const command of ["git", "make", process.env.CXX ?? "g++"]) requireTool(command);
  const build = join(PACKAGE_ROOT, "build");
  const out = join(build, `${process.platform}-${process.arch}`);
  const llama = extractHeaders(build);
  mkdirSync(out, { recursive: true });
  // A makefile takes a blank for the end of a name, so it gets no folder that only this machine chose the name of.
  const fromHere = (folder) => relative(PACKAGE_ROOT, folder);
  execFileSync(
    "make",
    [
      `-j${availableParallelism()}`,
      "--silent",
      `OUT=${fromHere(out)}`,
      `LLAMA=${fromHere(llama)}`,
      `LIBS=${fromHere(prebuiltLibraryDirectory())}`,
      "ABI=../abi",
    ],
    { cwd: PACKAGE_ROOT, stdio: "inherit" },
  );
} catch (error) {
  process.stderr.write(`native/llama-runtime: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
