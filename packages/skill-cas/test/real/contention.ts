import { expect } from "vitest";
import { PUT_ACTION_DIGEST, sha256Hex } from "../../src/layout.ts";
import { type Ended, runJob } from "./child.ts";
import { performJob } from "./job.ts";
import { expectAtRest, expectNoFalseObject, makeRoot } from "./store-state.ts";

const SHARED_BODIES = 6;
const OWN_BODIES = 3;

/** What each process does: contents that all of them store, in an order of its own, between contents of its own. */
function bodiesOf(processIndex: number): string[] {
  const shared = Array.from({ length: SHARED_BODIES }, (_, index) => `shared content ${index}`);
  const own = Array.from({ length: OWN_BODIES }, (_, index) => `content ${index} of process ${processIndex}`);
  const turned = processIndex % 2 === 0 ? shared : shared.reverse();
  return [...turned.slice(0, 3), ...own, ...turned.slice(3)];
}

/**
 * Lets processes publish into one root at once; `killAfter` says after how many changing effects each of them dies.
 * Those that live must succeed with everything, whatever happens around them, and afterwards nothing is left over.
 */
export async function publishAtOnce(killAfter: readonly (number | undefined)[]): Promise<void> {
  const root = makeRoot();
  const jobs = killAfter.map((kill, index) => ({
    root,
    operation: "publish" as const,
    bodies: bodiesOf(index),
    actionDigest: PUT_ACTION_DIGEST,
    ...(kill === undefined ? {} : { killAfter: kill }),
  }));
  const ended = await Promise.all(jobs.map((job) => runJob(job)));
  for (const [index, kill] of killAfter.entries()) expectEnded(ended[index], kill, index);
  expectNoFalseObject(root);
  const bodies = [...new Set(jobs.flatMap((job) => job.bodies))];
  const { attempts } = performJob({ root, operation: "publish", bodies, actionDigest: PUT_ACTION_DIGEST });
  expect(attempts).toEqual(bodies.map(() => ({ state: "exact" })));
  expectAtRest(root, bodies.map(sha256Hex));
}

function expectEnded(ended: Ended | undefined, kill: number | undefined, index: number): void {
  // One that was to be killed may have found so much done by others that it never came to that effect.
  if (kill !== undefined && ended?.kind === "killed") return;
  if (ended?.kind !== "finished") throw new Error(`process ${index}: ${JSON.stringify(ended)}`);
  expect(ended.report.attempts, `process ${index}`).toEqual(bodiesOf(index).map(() => ({ state: "exact" })));
}
