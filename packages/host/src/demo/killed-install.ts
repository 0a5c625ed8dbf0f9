import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { demoFailure } from "./demo-failure.ts";

/** The line by which the child says that it stands between two effects. */
export const STANDING_LINE = "standing after link";

/** What the child is asked to install, as one JSON text on its standard input. */
export interface KilledInstallRequest {
  readonly stateDirectory: string;
  readonly name: string;
  readonly body: string;
}

/** The program of the child: its own entry of this package, built beside this one. */
const CHILD_PROGRAM = fileURLToPath(new URL("./interrupted-install.js", import.meta.url));

/**
 * Runs an install in a child, waits until it has linked the object and stands before the next effect, and kills it there
 * with SIGKILL. Nothing of the child's clean-up can run.
 *
 * @throws HostError `DEMO_STEP_FAILED` when the child ends in any other way.
 */
export async function killInstallAfterLink(request: KilledInstallRequest, signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [CHILD_PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
  const abort = (): void => {
    child.kill("SIGKILL");
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    child.stdin.end(JSON.stringify(request));
    const ended = new Promise<{ code: number | null; killedBy: NodeJS.Signals | null }>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, killedBy) => {
        resolve({ code, killedBy });
      });
    });
    let stood = false;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line !== STANDING_LINE) continue;
      stood = true;
      child.kill("SIGKILL");
    }
    const { code, killedBy } = await ended;
    signal.throwIfAborted();
    if (stood && killedBy === "SIGKILL") return;
    throw demoFailure(
      "child",
      `exit status ${String(code)} without standing after the link`,
      "a kill between two effects",
    );
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
