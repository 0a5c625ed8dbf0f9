import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const SCRIPT = join(import.meta.dirname, "store.py");

/** What the second implementation says; undefined where it was killed, as KILL_AFTER asks. */
export function python(args: readonly string[], killAfter = 0): unknown {
  const ended = spawnSync("python3", ["-I", SCRIPT, ...args], {
    encoding: "utf8",
    env: { ...process.env, KILL_AFTER: String(killAfter) },
  });
  if (ended.signal === "SIGKILL") return undefined;
  if (ended.status !== 0)
    throw new Error(`python3 ended with ${ended.error?.message ?? ended.status}: ${ended.stderr}`);
  return JSON.parse(ended.stdout);
}

/** Holds a content lock from the second implementation until the returned function is called. */
export async function holdFromPython(root: string, digest: string): Promise<() => Promise<void>> {
  const holder = spawn("python3", ["-I", SCRIPT, "hold", root, digest], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => {
    holder.kill("SIGKILL");
  });
  await once(holder.stdout, "data");
  return async () => {
    holder.stdin.end();
    await once(holder, "exit");
  };
}
