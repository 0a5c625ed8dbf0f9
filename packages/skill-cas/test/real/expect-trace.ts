import { expect } from "vitest";
import type { Job } from "./job.ts";
import { expectedCalls, traceJob } from "./trace.ts";

/** The changing system calls of a job on its root are the effects it yielded: none more, none fewer, in that order. */
export async function expectTraceOfEffects(job: Job): Promise<void> {
  const { ended, calls } = await traceJob(job);
  if (ended.kind !== "finished") throw new Error(`expected the child to finish, but it was ${ended.kind}`);
  const { changing } = ended.report;
  expect(changing.length).toBeGreaterThan(1);
  expect(calls.map(({ syscall }) => syscall)).toEqual(expectedCalls(changing));
  for (const [index, effect] of changing.entries()) {
    if (effect.name !== undefined) expect(calls[index]?.line).toContain(effect.name);
  }
}
