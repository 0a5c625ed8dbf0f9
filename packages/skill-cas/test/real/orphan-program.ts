/**
 * Takes a content lock, starts a child that outlives it, prints the child's process id and is killed while it holds the
 * lock: the argument is a Job.
 */

import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { type Job, performJob } from "./job.ts";

// The test is the only caller, and the type of what it passes is Job.
const job = JSON.parse(process.argv[2] ?? "") as Job;
performJob(job, ({ kind }) => {
  if (kind !== "lock") return;
  const child = spawn("sleep", ["600"], { stdio: "ignore", detached: true });
  writeSync(1, `${child.pid ?? 0}\n`);
  process.kill(process.pid, "SIGKILL");
});
