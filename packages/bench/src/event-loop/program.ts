import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { RunOptions } from "../harness/bench.ts";
import { inFolder } from "../harness/folder.ts";

const run = promisify(execFile);

/** The programs in this folder. */
export type ProgramName = "open-program.ts" | "read-program.ts" | "decode-program.ts" | "held-program.ts";

/** Runs one of the programs in this folder in a process of its own, because a process can load one native runtime. */
export function runProgram<Printed>(name: ProgramName, { smoke }: RunOptions): Promise<Printed> {
  return inFolder(async (folder) => {
    const program = fileURLToPath(new URL(name, import.meta.url));
    const parameters = ["--disable-warning=ExperimentalWarning", program, folder, ...(smoke ? ["--smoke"] : [])];
    const { stdout } = await run(process.execPath, parameters, { env: { ...process.env, GGML_NO_BACKTRACE: "1" } });
    // Printed by a program of this folder, in this commit. Its last line is the result.
    return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Printed;
  });
}

/** What such a program is started with. */
export function programArguments(): { readonly folder: string; readonly smoke: boolean } {
  const [folder = "", flag] = process.argv.slice(2);
  return { folder, smoke: flag === "--smoke" };
}
