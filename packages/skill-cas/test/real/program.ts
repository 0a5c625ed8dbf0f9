/**
 * The program that the tests of this folder kill: does one job in a process of its own and prints one line of JSON, what
 * performJob reports.
 */

import { writeSync } from "node:fs";
import { type Job, performJob } from "./job.ts";

// The tests are the only callers, and the type of what they pass is Job.
const job = JSON.parse(process.argv[2] ?? "") as Job;
writeSync(1, `${JSON.stringify(performJob(job))}\n`);
