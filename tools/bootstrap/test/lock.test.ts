import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { whileLocked } from "../lock.mjs";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "mesh-lock-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const module = new URL("../lock.mjs", import.meta.url).href;

/** A process that appends "in" and "out" to a log around its turn, and may kill itself in the middle. */
function contender(lock: string, log: string, body: string): Promise<void> {
  const script = `
    import { appendFileSync } from "node:fs";
    import { whileLocked } from ${JSON.stringify(module)};
    whileLocked(${JSON.stringify(lock)}, () => {
      appendFileSync(${JSON.stringify(log)}, "in\\n");
      ${body}
      appendFileSync(${JSON.stringify(log)}, "out\\n");
    });`;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    child.on("close", () => {
      resolve();
    });
  });
}

test("two set-ups of one folder take turns", async () => {
  const lock = path.join(directory, "lock");
  const log = path.join(directory, "log");
  const pause = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);";
  await Promise.all(Array.from({ length: 4 }, () => contender(lock, log, pause)));
  expect(readFileSync(log, "utf8")).toBe("in\nout\n".repeat(4));
});

test("a set-up that is killed leaves no lock behind", async () => {
  const lock = path.join(directory, "lock");
  await contender(lock, path.join(directory, "log"), `process.kill(process.pid, "SIGKILL");`);
  expect(whileLocked(lock, () => "entered")).toBe("entered");
});
