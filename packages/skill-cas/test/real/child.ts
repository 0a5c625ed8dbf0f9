import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Job, Report } from "./job.ts";

const PROGRAM = join(import.meta.dirname, "program.ts");
const COMPILE_CACHE = join(tmpdir(), `skill-cas-compile-cache-${process.getuid?.() ?? 0}`);

/** How a child ended. */
export type Ended =
  | { readonly kind: "finished"; readonly report: Report }
  | { readonly kind: "killed" }
  | { readonly kind: "crashed"; readonly how: string };

/** Does a job in a process of its own. `wrapper` is what starts it: strace, or a shell that sets the umask first. */
export async function runJob(job: Job, wrapper: readonly string[] = []): Promise<Ended> {
  mkdirSync(COMPILE_CACHE, { recursive: true });
  const node = [process.execPath, "--disable-warning=ExperimentalWarning", PROGRAM, JSON.stringify(job)];
  const [command = "", ...args] = [...wrapper, ...node];
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  return await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => {
      // A tracer whose tracee was killed ends by the same signal.
      if (signal === "SIGKILL") resolve({ kind: "killed" });
      // The program's only output is the JSON of a Report.
      else if (status === 0) resolve({ kind: "finished", report: JSON.parse(output) as Report });
      else resolve({ kind: "crashed", how: `ended with ${status ?? signal ?? "nothing"}: ${errors}` });
    });
  });
}

/** Does a job that must come to its end. */
export async function finishJob(job: Job, wrapper: readonly string[] = []): Promise<Report> {
  const ended = await runJob(job, wrapper);
  if (ended.kind === "finished") return ended.report;
  throw new Error(`expected the child to finish, but it was ${ended.kind === "crashed" ? ended.how : "killed"}`);
}

/** Starts a child under another umask. */
export function withUmask(umask: string): readonly string[] {
  return ["/bin/sh", "-c", `umask ${umask}; exec "$@"`, "sh"];
}
