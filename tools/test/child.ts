import { spawn } from "node:child_process";
import { ROOT } from "./workspace.ts";

export interface ChildResult {
  /** Exit status, or the name of the signal or error that ended the child instead. */
  readonly ended: number | string;
  readonly output: string;
}

/** Runs a command to its end and keeps what it wrote, so that two of them may run side by side and stay readable. */
export function runChild(command: string, args: readonly string[], cwd = ROOT): Promise<ChildResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const pieces: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    child.stderr.on("data", (piece: Buffer) => pieces.push(piece));
    const finish = (ended: number | string): void => {
      resolve({ ended, output: Buffer.concat(pieces).toString() });
    };
    child.on("error", (error) => {
      finish(error.message);
    });
    child.on("close", (status, signal) => {
      finish(status ?? signal ?? "unknown end");
    });
  });
}
