import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { performJob } from "./job.ts";
import { expectAtRest, makeRoot, publishJob } from "./store-state.ts";

const PROGRAM = join(import.meta.dirname, "orphan-program.ts");

describe("a child that was started while a lock was held", () => {
  it("does not keep the lock after its parent was killed", () => {
    const root = makeRoot();
    const args = ["--disable-warning=ExperimentalWarning", PROGRAM, JSON.stringify(publishJob(root))];
    const ended = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(ended.signal, ended.stderr).toBe("SIGKILL");
    const orphan = Number(ended.stdout);
    expect(orphan).toBeGreaterThan(1);
    onTestFinished(() => {
      process.kill(orphan, "SIGKILL");
    });
    // The sweep does not wait for a lock: had the orphan kept it, the content would be busy.
    expect(performJob({ ...publishJob(root), operation: "sweep" }).attempts).toEqual([{ state: "absent" }]);
    expect(performJob(publishJob(root)).attempts).toEqual([{ state: "exact" }]);
    expectAtRest(root);
    // It lives: signal 0 asks and does nothing.
    expect(process.kill(orphan, 0)).toBe(true);
  });
});
