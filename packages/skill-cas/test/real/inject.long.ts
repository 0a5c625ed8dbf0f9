import { describe, expect, it } from "vitest";
import type { Attempt, Report } from "./job.ts";
import { performJob } from "./job.ts";
import { forEachParallel } from "./parallel.ts";
import { expectAtRest, expectNoFalseObject, makeRoot, publishJob } from "./store-state.ts";
import { expectedCalls, needStrace, traceJob } from "./trace.ts";

/** What each changing call of a publication can fail with, after Linux's manual pages and what file systems return. */
const ERRNOS: Readonly<Record<string, readonly string[]>> = {
  openat: ["EIO", "ENOSPC", "EDQUOT", "EPERM", "EROFS", "EMFILE", "ENAMETOOLONG", "ESTALE"],
  flock: ["EIO", "ENOLCK", "ESTALE"],
  fchmod: ["EIO", "EPERM", "EROFS", "ESTALE"],
  pwrite64: ["EIO", "ENOSPC", "EDQUOT", "ESTALE"],
  fsync: ["EIO", "ENOSPC", "EDQUOT", "EROFS", "ESTALE"],
  linkat: ["EIO", "ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "EMLINK", "EXDEV", "ENAMETOOLONG", "ESTALE"],
  unlinkat: ["EIO", "EACCES", "EPERM", "EROFS", "ESTALE"],
};

/** A call of a run: which system call, and the how-manieth of its kind, which is how strace counts. */
interface Place {
  readonly syscall: string;
  readonly nth: number;
}

function placesOf(changing: Report["changing"]): Place[] {
  const seen = new Map<string, number>();
  return expectedCalls(changing).map((syscall) => {
    const nth = (seen.get(syscall) ?? 0) + 1;
    seen.set(syscall, nth);
    return { syscall, nth };
  });
}

/**
 * strace counts the openings that create nothing as well. Those of a publication are the root's own, before its first
 * effect, and the object's, after its last opening that creates; the offset is measured and not assumed.
 */
async function injectionPlaces(): Promise<readonly (Place & { readonly when: number })[]> {
  const { ended, calls, openings } = await traceJob(publishJob(makeRoot()));
  if (ended.kind !== "finished") throw new Error(`expected the child to finish, but it was ${ended.kind}`);
  expect(calls.map(({ syscall }) => syscall)).toEqual(expectedCalls(ended.report.changing));
  return placesOf(ended.report.changing).map((place) => ({
    ...place,
    when: place.syscall === "openat" ? (openings[place.nth - 1] ?? 0) : place.nth,
  }));
}

describe.runIf(process.platform === "linux")("without any hook of ours", () => {
  it("a kill at any changing system call is recovered from", async (context) => {
    needStrace(context);
    await forEachParallel(await injectionPlaces(), async ({ syscall, when }) => {
      const root = makeRoot();
      const { ended } = await traceJob(publishJob(root), [`${syscall}:signal=KILL:when=${when}`]);
      expect(ended, `${syscall} ${when}`).toEqual({ kind: "killed" });
      expectNoFalseObject(root);
      expect(performJob(publishJob(root)).attempts).toEqual([{ state: "exact" }]);
      expectAtRest(root);
    });
  });

  it("any errno from any changing system call is reported as it is, and a fresh handle finishes", async (context) => {
    needStrace(context);
    const places = await injectionPlaces();
    const faults = places.flatMap((place) => (ERRNOS[place.syscall] ?? []).map((errno) => ({ ...place, errno })));
    expect(faults.length).toBeGreaterThan(30);
    await forEachParallel(faults, async ({ syscall, when, errno }) => {
      const root = makeRoot();
      const where = `${errno} from ${syscall} ${when}`;
      const { ended } = await traceJob(publishJob(root), [`${syscall}:error=${errno}:when=${when}`]);
      if (ended.kind !== "finished") throw new Error(`${where}: the child was ${ended.kind}`);
      expectReported(ended.report.attempts[0], syscall, errno, where);
      expectNoFalseObject(root);
      expect(performJob(publishJob(root)).attempts, where).toEqual([{ state: "exact" }]);
      expectAtRest(root);
    });
  });

  it("an errno that stays is reported the same by every fresh handle, until it goes", async (context) => {
    needStrace(context);
    const permanent = [
      "pwrite64:ENOSPC",
      "fsync:EIO",
      "linkat:EPERM",
      "linkat:EMLINK",
      "unlinkat:EROFS",
      "flock:ENOLCK",
    ];
    await forEachParallel(permanent, async (fault) => {
      const [syscall = "", errno = ""] = fault.split(":");
      const root = makeRoot();
      const { ended } = await traceJob(publishJob(root, { times: 3 }), [`${syscall}:error=${errno}:when=1+`]);
      if (ended.kind !== "finished") throw new Error(`${fault}: the child was ${ended.kind}`);
      expect(ended.report.attempts.length).toBe(3);
      for (const attempt of ended.report.attempts) expectReported(attempt, syscall, errno, fault);
      expectNoFalseObject(root);
      expect(performJob(publishJob(root)).attempts, fault).toEqual([{ state: "exact" }]);
      expectAtRest(root);
    });
  });

  it("a signal that interrupts a call is no failure", async (context) => {
    needStrace(context);
    await forEachParallel(Object.keys(ERRNOS), async (syscall) => {
      const root = makeRoot();
      const { ended } = await traceJob(publishJob(root), [`${syscall}:error=EINTR:when=1+2`]);
      expect(ended, syscall).toMatchObject({ kind: "finished", report: { attempts: [{ state: "exact" }] } });
      expectAtRest(root);
    });
  });
});

/** This handle never says applied: it fails with the kernel's own errno and system call. */
function expectReported(attempt: Attempt | undefined, syscall: string, errno: string, where: string): void {
  if (attempt?.state !== "failed") throw new Error(`${where}: expected a failure, found ${JSON.stringify(attempt)}`);
  expect(attempt.facts["errnoName"], where).toBe(errno);
  expect(attempt.facts["syscall"], where).toBe(syscall === "pwrite64" ? "pwrite" : syscall);
  const codes = ["EFFECT_FAILED", "SYNC_FAILED", "HARD_LINKS_UNSUPPORTED"];
  expect(codes, where).toContain(attempt.code);
}
