import { expect } from "vitest";
import { sha256Hex } from "../../src/layout.ts";
import { type Attempt, type Job, performJob, type Report } from "./job.ts";
import {
  BODY,
  expectAtRest,
  expectNoFalseObject,
  LEFTOVERS,
  makeRoot,
  placeForeign,
  publishJob,
  putManyJob,
  quarantineJob,
  recoverJob,
  SECOND_BODY,
  sweepJob,
} from "./store-state.ts";
import { expectedCalls, traceJob } from "./trace.ts";

/** A job, what it finds, and how its root must look in the end. */
export interface Scenario {
  readonly prepare: (root: string) => void;
  readonly jobOf: (root: string, more?: Partial<Job>) => Job;
  /** Which contents are there when a fresh handle is done. */
  readonly contents: readonly string[];
}

const MIXED = LEFTOVERS["whole and broken stages of several actions"] ?? (() => undefined);
const HALF = LEFTOVERS["half a stage"] ?? (() => undefined);

/** Everything that changes a store. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  put: { prepare: () => undefined, jobOf: publishJob, contents: [BODY] },
  putMany: { prepare: () => undefined, jobOf: putManyJob, contents: [BODY, SECOND_BODY] },
  "recover, which publishes a copy of a stage": { prepare: MIXED, jobOf: recoverJob, contents: [BODY] },
  "sweep, which publishes a copy of a stage": { prepare: MIXED, jobOf: sweepJob, contents: [BODY] },
  "sweep, which removes a stage and a lock": { prepare: HALF, jobOf: sweepJob, contents: [] },
  quarantine: { prepare: placeForeign, jobOf: quarantineJob, contents: [] },
};

/** A root as the scenario finds it. */
export function prepareRoot({ prepare }: Scenario): string {
  const root = makeRoot();
  prepare(root);
  return root;
}

/** A changing call of a job: which system call, and the how-manieth of its kind, which is how strace counts. */
export interface Place {
  readonly syscall: string;
  readonly effect: Report["changing"][number]["kind"];
  readonly when: number;
}

/**
 * Every changing call of a scenario. strace counts the openings that create nothing as well, so where those that create
 * come among them is measured and not assumed.
 */
export async function placesOf(scenario: Scenario): Promise<readonly Place[]> {
  const { ended, calls, openings } = await traceJob(scenario.jobOf(prepareRoot(scenario)));
  if (ended.kind !== "finished") throw new Error(`expected the child to finish, but it was ${ended.kind}`);
  const { changing } = ended.report;
  expect(calls.map(({ syscall }) => syscall)).toEqual(expectedCalls(changing));
  const seen = new Map<string, number>();
  return expectedCalls(changing).map((syscall, index) => {
    const nth = (seen.get(syscall) ?? 0) + 1;
    seen.set(syscall, nth);
    const effect = changing[index]?.kind ?? "create";
    return { syscall, effect, when: syscall === "openat" ? (openings[nth - 1] ?? 0) : nth };
  });
}

/** A fresh handle ends where the job should have ended, whatever became of it. */
export function expectFinished({ jobOf, contents }: Scenario, root: string, where: string): void {
  expectNoFalseObject(root, jobOf === quarantineJob);
  const { attempts } = performJob(jobOf(root, { tag: "00000002" }));
  expect(attempts.every(isFinished), `${where}: ${JSON.stringify(attempts)}`).toBe(true);
  if (jobOf === quarantineJob) expect(performJob(publishJob(root)).attempts, where).toEqual([{ state: "exact" }]);
  else expectAtRest(root, contents.map(sha256Hex));
}

function isFinished(attempt: Attempt): boolean {
  return attempt.state === "failed"
    ? attempt.code === "NOTHING_TO_QUARANTINE"
    : ["exact", "absent", "quarantined"].includes(attempt.state);
}
