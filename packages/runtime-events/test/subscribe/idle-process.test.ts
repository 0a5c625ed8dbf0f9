import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** Runs a program in a process of its own and gives what it printed and how it ended. */
function runChild(
  name: string,
): Promise<{ stdout: string; stderr: string; exitCode: number | null; signal: string | null }> {
  const program = fileURLToPath(new URL(`child/${name}.ts`, import.meta.url));
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", program],
      { timeout: 100_000 },
      (_error, stdout, stderr) => {
        resolve({ stdout, stderr, exitCode: child.exitCode, signal: child.signalCode });
      },
    );
  });
}

it("a process with open subscriptions and nothing else to do ends by itself", async () => {
  expect(await runChild("idle")).toEqual({ stdout: "subscribed\n", stderr: "", exitCode: 0, signal: null });
}, 120_000);

it("a process that asked for it stays alive until its events have come", async () => {
  expect(await runChild("kept-alive")).toEqual({
    stdout: "device-lost\nunload-started\nunload-completed\n",
    stderr: "",
    exitCode: 0,
    signal: null,
  });
}, 120_000);

it("a worker that is terminated while events flood in leaves the reporter free for another environment", async () => {
  expect(await runChild("terminated-worker")).toEqual({
    stdout: "while the worker has it: REPORTER_OWNED\nafterwards: unload-completed\n",
    stderr: "",
    exitCode: 0,
    signal: null,
  });
}, 120_000);
