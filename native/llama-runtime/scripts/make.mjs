import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { extractHeaders } from "./headers.mjs";
import { PACKAGE_ROOT, prebuiltLibraryDirectory } from "./packages.mjs";

/** Runs the Makefile: objects and the library go to `out`, a folder that exists. */
export function runMake(out, variables = []) {
  // A makefile takes a blank for the end of a name, so it gets no folder that only this machine chose the name of.
  const fromHere = (folder) => relative(PACKAGE_ROOT, folder);
  execFileSync(
    "make",
    [
      `-j${availableParallelism()}`,
      "--silent",
      `OUT=${fromHere(out)}`,
      `LLAMA=${fromHere(extractHeaders(join(PACKAGE_ROOT, "build")))}`,
      `LIBS=${fromHere(prebuiltLibraryDirectory())}`,
      "ABI=../abi",
      ...variables,
    ],
    { cwd: PACKAGE_ROOT, stdio: "inherit" },
  );
}
