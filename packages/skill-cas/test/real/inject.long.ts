import { describe, expect, it } from "vitest";
import { expectFinished, type Place, placesOf, prepareRoot, SCENARIOS } from "./injection.ts";
import type { Attempt } from "./job.ts";
import { performJob } from "./job.ts";
import { forEachParallel } from "./parallel.ts";
import { expectAtRest, expectNoFalseObject, makeRoot, publishJob } from "./store-state.ts";
import { needStrace, traceJob } from "./trace.ts";

/** What each changing call can fail with, after Linux's manual pages and what file systems return. */
const ERRNOS: Readonly<Record<string, readonly string[]>> = {
  openat: ["EIO", "ENOSPC", "EDQUOT", "EPERM", "EROFS", "EMFILE", "ENAMETOOLONG", "ESTALE"],
  flock: ["EIO", "ENOLCK", "ESTALE"],
  fchmod: ["EIO", "EPERM", "EROFS", "ESTALE"],
  pwrite64: ["EIO", "ENOSPC", "EDQUOT", "ESTALE"],
  fsync: ["EIO", "ENOSPC", "EDQUOT", "EROFS", "ESTALE"],
  linkat: ["EIO", "ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "EMLINK", "EXDEV", "ENAMETOOLONG", "ESTALE"],
  unlinkat: ["EIO", "EACCES", "EPERM", "EROFS", "ESTALE"],
  mkdirat: ["EIO", "ENOSPC", "EDQUOT", "EACCES", "EROFS", "EMLINK", "ESTALE"],
  renameat2: ["EIO", "ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "EMLINK", "EXDEV", "ESTALE"],
};

describe.runIf(process.platform === "linux").each(Object.entries(SCENARIOS))(
  "without any hook of ours: %s",
  (_name, scenario) => {
    it("a kill at any changing system call is recovered from", async (context) => {
      needStrace(context);
      const places = await placesOf(scenario);
      expect(places.length).toBeGreaterThan(3);
      await forEachParallel(places, async ({ syscall, when }) => {
        const root = prepareRoot(scenario);
        const { ended } = await traceJob(scenario.jobOf(root), [`${syscall}:signal=KILL:when=${when}`]);
        expect(ended, `${syscall} ${when}`).toEqual({ kind: "killed" });
        expectFinished(scenario, root, `${syscall} ${when}`);
      });
    });

    it("any errno from any changing system call is reported as it is, and a fresh handle finishes", async (context) => {
      needStrace(context);
      const places = await placesOf(scenario);
      const faults = places.flatMap((place) => (ERRNOS[place.syscall] ?? []).map((errno) => ({ ...place, errno })));
      expect(faults.length).toBeGreaterThan(15);
      await forEachParallel(faults, async (fault) => {
        const root = prepareRoot(scenario);
        const where = `${fault.errno} from ${fault.syscall} ${fault.when}`;
        const inject = `${fault.syscall}:error=${fault.errno}:when=${fault.when}`;
        const { ended } = await traceJob(scenario.jobOf(root), [inject]);
        if (ended.kind !== "finished") throw new Error(`${where}: the child was ${JSON.stringify(ended)}`);
        expectOneReported(ended.report.attempts, fault, where);
        expectFinished(scenario, root, where);
      });
    });
  },
);

describe.runIf(process.platform === "linux")("without any hook of ours", () => {
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

  it("a store is not opened where no hard link can be made, so no body is loaded for it", async (context) => {
    needStrace(context);
    await forEachParallel(["EPERM", "EOPNOTSUPP", "ENOSYS"], async (errno) => {
      const root = makeRoot();
      const job = { ...publishJob(root), operation: "open" } as const;
      const { ended } = await traceJob(job, [`linkat:error=${errno}:when=1+`]);
      expect(ended, errno).toMatchObject({
        kind: "finished",
        report: { attempts: [{ state: "failed", code: "HARD_LINKS_UNSUPPORTED", facts: { path: root } }] },
      });
      expect(performJob(job).attempts, errno).toEqual([{ state: "exact" }]);
      // Once the root has its id, opening tries a link of its own.
      expect((await traceJob(job, [`linkat:error=${errno}:when=1+`])).ended, errno).toMatchObject({
        kind: "finished",
        report: { attempts: [{ state: "failed", code: "HARD_LINKS_UNSUPPORTED" }] },
      });
    });
  });

  it("a signal that interrupts a call is no failure", async (context) => {
    needStrace(context);
    const syscalls = ["openat", "flock", "fchmod", "pwrite64", "fsync", "linkat", "unlinkat"];
    await forEachParallel(syscalls, async (syscall) => {
      const root = makeRoot();
      const { ended } = await traceJob(publishJob(root), [`${syscall}:error=EINTR:when=1+2`]);
      expect(ended, syscall).toMatchObject({ kind: "finished", report: { attempts: [{ state: "exact" }] } });
      expectAtRest(root);
    });
  });
});

/** One content's failure is its own; that of a sync which several share is everybody's. A lock that stays is no failure. */
function expectOneReported(
  attempts: readonly Attempt[],
  fault: Place & { readonly errno: string },
  where: string,
): void {
  const failures = attempts.filter(({ state }) => state === "failed");
  if (fault.effect === "removeLock") {
    expect(attempts, where).toMatchObject([{ state: "absent" }]);
    return;
  }
  expect(failures.length, `${where}: ${JSON.stringify(attempts)}`).toBe(
    fault.effect === "syncDirectory" ? attempts.length : 1,
  );
  for (const failure of failures) expectReported(failure, fault.syscall, fault.errno, where);
}

/** This handle never says applied: it fails with the kernel's own errno and system call. */
function expectReported(attempt: Attempt | undefined, syscall: string, errno: string, where: string): void {
  if (attempt?.state !== "failed") throw new Error(`${where}: expected a failure, found ${JSON.stringify(attempt)}`);
  expect(attempt.facts["errnoName"], where).toBe(errno);
  expect(attempt.facts["syscall"], where).toBe(syscall === "pwrite64" ? "pwrite" : syscall);
  expect(attempt.code, where).toBe(syscall === "fsync" ? "SYNC_FAILED" : "EFFECT_FAILED");
}
