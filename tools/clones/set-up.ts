import { spawn } from "node:child_process";
import path from "node:path";
import { ROOT } from "../test/workspace.ts";
import { runChild } from "../test/child.ts";

export interface SetUpResult {
  readonly status: number | string;
  readonly out: string;
  /** What the set-up said it was doing. */
  readonly said: string;
}

export interface SetUpOptions {
  /** Default: the Node that runs this. */
  readonly node?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly umask?: string;
  /** Kills the whole set-up, npm and pnpm included, as soon as it says this. */
  readonly killWhenSaid?: string;
}

/** A fresh clone of the current commit. */
export async function clone(directory: string): Promise<string> {
  const { ended, output } = await runChild("git", ["clone", "--quiet", ROOT, directory]);
  if (ended !== 0) throw new Error(`git clone ended with ${ended}: ${output}`);
  return directory;
}

/** Runs the set-up of a clone as a person would: with the machine's own tools and nothing of this run's environment. */
export function setUp(directory: string, args: readonly string[], options: SetUpOptions = {}): Promise<SetUpResult> {
  const { node = process.execPath, environment = {}, umask = "022", killWhenSaid } = options;
  const command = `umask ${umask}; exec "$@"`;
  const child = spawn("/bin/sh", ["-c", command, "sh", node, path.join("tools/bootstrap/main.mjs"), ...args], {
    cwd: directory,
    env: { ...machineEnvironment(), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that a kill reaches what it started.
    detached: true,
  });
  let out = "";
  let said = "";
  child.stdout.on("data", (piece: Buffer) => {
    out += piece.toString();
  });
  child.stderr.on("data", (piece: Buffer) => {
    said += piece.toString();
    if (killWhenSaid !== undefined && said.includes(killWhenSaid) && child.pid !== undefined) killGroup(child.pid);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => {
      resolve({ status: status ?? signal ?? "unknown", out, said });
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}

/** The search path without the tools this run put in front, and nothing else but a home. */
function machineEnvironment(): Record<string, string> {
  const parts = (process.env["PATH"] ?? "").split(path.delimiter);
  const own = parts.filter((part) => !part.startsWith(ROOT) && !part.includes(`${path.sep}.tools${path.sep}`));
  return { PATH: own.join(path.delimiter), HOME: process.env["HOME"] ?? "/" };
}
