import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** How a program ended. */
export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly output: string;
}

/** Long enough for any machine: a program that takes this long hangs. */
const PROGRAM_MS_MAX = 110_000;

/**
 * Runs a plain Node program of `programs/` in a process of its own: the built package, no test runner, no loader. What a
 * program prints to both streams is in `output`. `preloads` are programs that run before it in the same process.
 */
export function runProgram(
  name: string,
  parameters: readonly string[],
  preloads: readonly string[] = [],
): Promise<ProgramEnd> {
  const program = (called: string): string => new URL(`./programs/${called}.mjs`, import.meta.url).href;
  const words = [...preloads.flatMap((preload) => ["--import", program(preload)]), fileURLToPath(program(name))];
  const environment: NodeJS.ProcessEnv = { ...process.env };
  delete environment["NODE_OPTIONS"];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...words, ...parameters], {
      stdio: ["ignore", "pipe", "pipe"],
      env: environment,
      timeout: PROGRAM_MS_MAX,
      killSignal: "SIGKILL",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
      });
    }
    child.on("error", reject);
    child.on("close", (exitCode, signal) => {
      resolve({ exitCode, signal, output });
    });
  });
}
