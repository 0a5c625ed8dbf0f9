// Builds the native runtime for this machine into build/<platform>-<arch>/. Needs git, make and a C++20 compiler.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runMake } from "./make.mjs";
import { PACKAGE_ROOT } from "./packages.mjs";

function requireTool(command) {
  const { error, status } = spawnSync(command, ["--version"], { stdio: "ignore" });
  if (error || status !== 0) {
    throw new Error(`"${command} --version" does not run. Building the native runtime needs git, make and g++.`);
  }
}

try {
  for (const command of ["git", "make", process.env.CXX ?? "g++"]) requireTool(command);
  const out = join(PACKAGE_ROOT, "build", `${process.platform}-${process.arch}`);
  mkdirSync(out, { recursive: true });
  runMake(out);
} catch (error) {
  process.stderr.write(`native/llama-runtime: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
